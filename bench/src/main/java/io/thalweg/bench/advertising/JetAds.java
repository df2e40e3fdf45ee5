package io.thalweg.bench.advertising;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Traverser;
import com.hazelcast.jet.Traversers;
import com.hazelcast.jet.aggregate.AggregateOperations;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.ProcessingGuarantee;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.EventTimeMapper;
import com.hazelcast.jet.core.EventTimePolicy;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.datamodel.KeyedWindowResult;
import com.hazelcast.jet.pipeline.Pipeline;
import com.hazelcast.jet.pipeline.Sink;
import com.hazelcast.jet.pipeline.SinkBuilder;
import com.hazelcast.jet.pipeline.Sources;
import com.hazelcast.jet.pipeline.WindowDefinition;

/** Hazelcast Jet: the same pipeline with Jet's operators, on one member with as many cooperative threads as the parallelism. */
final class JetAds {
    private static final int BATCH = 1_024;

    private JetAds() {}

    static void run(AdLoad load, int parallelism) {
        Config config = new Config();
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "none");
        config.setProperty("hazelcast.shutdownhook.enabled", "false");
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getJetConfig().setEnabled(true).setCooperativeThreadCount(parallelism);
        HazelcastInstance hazelcast = Hazelcast.newHazelcastInstance(config);
        try {
            JobConfig job = new JobConfig()
                    .setProcessingGuarantee(ProcessingGuarantee.EXACTLY_ONCE)
                    .setSnapshotIntervalMillis(10_000);
            hazelcast.getJet().newJob(pipeline(load), job).join();
        } finally {
            hazelcast.shutdown();
        }
    }

    private static Pipeline pipeline(AdLoad load) {
        Pipeline pipeline = Pipeline.create();
        pipeline.readFrom(Sources.<AdEvent>streamFromProcessorWithWatermarks(
                        "ads", true, policy -> ProcessorMetaSupplier.of(() -> new Generator(load, policy))))
                .withNativeTimestamps(0)
                .filter(event -> event.eventType == AdLoad.VIEW)
                .map(event -> load.campaignOfAd()[event.adId])
                .groupingKey(campaign -> campaign)
                .window(WindowDefinition.tumbling(AdLoad.WINDOW_MS))
                .aggregate(AggregateOperations.counting())
                .writeTo(counts());
        return pipeline;
    }

    private static Sink<KeyedWindowResult<Integer, Long>> counts() {
        return SinkBuilder.sinkBuilder("counts", context -> new Object())
                .<KeyedWindowResult<Integer, Long>>receiveFn(
                        (unused, row) -> AdResults.add(row.key(), row.end(), row.result()))
                .build();
    }

    /** Draws events, one batch per turn. */
    private static final class Generator extends AbstractProcessor {
        private final AdLoad load;
        private final EventTimeMapper<AdEvent> times;
        private Traverser<?> pending = Traversers.empty();
        private int reader;
        private long next;
        private int step;

        Generator(AdLoad load, EventTimePolicy<? super AdEvent> policy) {
            this.load = load;
            this.times = new EventTimeMapper<>(policy);
            times.addPartitions(1);
        }

        @Override
        protected void init(Context context) {
            reader = context.globalProcessorIndex();
            next = reader;
            step = context.totalParallelism();
        }

        @Override
        public boolean complete() {
            long first = next;
            boolean done = draw();
            if (next > first) {
                load.reached(reader, first, (int) (next - first) / step, next);
            }
            return done;
        }

        /** Draws a batch; true if there are no more events. */
        private boolean draw() {
            for (int drawn = 0; drawn < BATCH; drawn++) {
                if (!emitFromTraverser(pending)) {
                    return false;
                }
                if (next >= load.events()) {
                    return true;
                }
                AdEvent event = new AdEvent(load, next);
                pending = times.flatMapEvent(event, 0, event.eventTimeMs);
                next += step;
            }
            return false;
        }
    }
}
