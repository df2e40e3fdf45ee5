package io.thalweg.jobs.kafka;

import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.LookupGauges;
import io.thalweg.jobs.block.BlockTimer;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Source;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the topics of one {@link Source} for all views that share it, one block per poll and partition.
 *
 * <p>Positions and partition clocks are in the checkpoint. New partitions are found while running and read from their first
 * record. Readers send the watermark themselves: the smallest clock of their partitions that are not idle, or, while all of
 * them are, what the enumerator allows. Use it with a watermark strategy that generates none.
 *
 * <p><b>Threads.</b> Serializable; makes one reader per subtask.
 */
public final class KafkaBlockSource
        implements org.apache.flink.api.connector.source.Source<DecodedBlock, KafkaSplit, KafkaAssignment> {
    private static final int DRIFT_PANES = 2;

    private final Source source;
    private final List<FeatureView> views;
    private final Kafka.Reader reader;
    private final Map<String, String> kafkaProperties;
    private final LookupSources lookups;
    private final String jobId;
    private final long startMs;
    private final ClockSpec clock;

    /**
     * A source for views that have it in common.
     *
     * @param reader how partitions are read
     * @param kafkaProperties the client's properties, {@code bootstrap.servers} and {@code group.id} among them
     * @param lookups where the views' tables are
     * @param jobId whose tables they are
     * @param startMs record timestamp to begin at on the first start; {@code Long.MIN_VALUE} = the first record there is,
     *     {@code Long.MAX_VALUE} = only what comes from now on
     * @param clock what {@code now} is
     */
    public KafkaBlockSource(
            Source source,
            List<FeatureView> views,
            Kafka.Reader reader,
            Map<String, String> kafkaProperties,
            LookupSources lookups,
            String jobId,
            long startMs,
            ClockSpec clock) {
        this.source = source;
        this.views = List.copyOf(views);
        this.reader = reader;
        this.kafkaProperties = Map.copyOf(kafkaProperties);
        this.lookups = lookups;
        this.jobId = jobId;
        this.startMs = startMs;
        this.clock = clock;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<DecodedBlock, KafkaSplit> createReader(SourceReaderContext context) throws IOException {
        Clock now = clock.toClock(Clock.systemUTC());
        LookupTables tables = LookupTables.open(jobId, views, lookups, Clock.systemUTC());
        LookupGauges.register(tables, context.metricGroup());
        Projection projection = Projection.of(views);
        PollDecoder decoder = new PollDecoder(tables.joined(EventDecoder.create(projection), projection), projection);
        return new KafkaBlockReader(
                context,
                source,
                new BlockTimer(source, projection, clock),
                tables,
                watermarkStepMs(),
                maxDrift(views).toMillis(),
                new KafkaFetcher(reader, clientProperties(), decoder, now));
    }

    /** How far behind the clock on the wall the watermark follows while nothing comes from any partition. */
    static long silenceMs(Source source) {
        return source.maxOutOfOrderness().millis() + source.idleAfter().millis();
    }

    /** How far ahead of the slowest a partition, or a reader, may run: two panes of the view with the largest ones. */
    public static Duration maxDrift(List<FeatureView> views) {
        return views.stream()
                .map(view -> view.windows().every().duration())
                .max(Comparator.naturalOrder())
                .orElseThrow()
                .multipliedBy(DRIFT_PANES);
    }

    /** Watermarks matter where a pane ends: the greatest step that meets every pane end of every view. */
    private long watermarkStepMs() {
        long step = 0;
        for (FeatureView view : views) {
            long every = view.windows().every().millis();
            while (every != 0) {
                long rest = step % every;
                step = every;
                every = rest;
            }
        }
        return step;
    }

    @Override
    public SplitEnumerator<KafkaSplit, KafkaAssignment> createEnumerator(SplitEnumeratorContext<KafkaSplit> context) {
        return enumerator(context, null);
    }

    @Override
    public SplitEnumerator<KafkaSplit, KafkaAssignment> restoreEnumerator(
            SplitEnumeratorContext<KafkaSplit> context, KafkaAssignment assignment) {
        return enumerator(context, assignment);
    }

    private KafkaPartitionEnumerator enumerator(
            SplitEnumeratorContext<KafkaSplit> context, @Nullable KafkaAssignment restored) {
        return new KafkaPartitionEnumerator(
                context, source.topics(), clientProperties(), startMs, silenceMs(source), restored);
    }

    private Properties clientProperties() {
        Properties properties = new Properties();
        properties.putAll(kafkaProperties);
        return properties;
    }

    @Override
    public SimpleVersionedSerializer<KafkaSplit> getSplitSerializer() {
        return new KafkaSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<KafkaAssignment> getEnumeratorCheckpointSerializer() {
        return new KafkaAssignment.Serializer();
    }
}
