package io.thalweg.pipelinetest;

import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.store.redis.RedisLookups;
import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Runs a view over a file of events into a topic, through the job of {@code run}. Then reads the values of the topic's records, each
 * partition in order.
 *
 * @param view with a sink, whose topic belongs to this test
 * @param name a deployment name that no other job uses, because it names the transactions
 */
public record DeliveredViewJob(
        FeatureView view, String events, ConfiguredLookups lookups, TestBroker broker, String name)
        implements TestCluster.Job<List<byte[]>> {
    /** Transactions are committed with a checkpoint, the last one after the last event. */
    private static final Duration CHECKPOINTS = Duration.ofMillis(100);

    /** Creates a job whose rows go to a new topic in the view's format, or as JSON if only external consumers can read that format. */
    static DeliveredViewJob of(
            FeatureView view, SinkSpec.Delivery delivery, String events, ConfiguredLookups lookups, TestBroker broker) {
        SinkSpec own = view.sink();
        SinkSpec.Format format =
                own == null || own.format() == SinkSpec.Format.AVRO ? SinkSpec.Format.JSON : own.format();
        SinkSpec sink = new SinkSpec(
                broker.newTopic("rows"), own == null ? view.source().kafka() : own.kafka(), format, delivery);
        return new DeliveredViewJob(view.withSink(sink), events, lookups, broker, "test-" + sink.topic());
    }

    @Override
    public Closeable open(String id) {
        LookupTables tables = lookups.open(id, List.of(view));
        broker.ensureTopic(view.deadLetterTopic());
        return tables::close;
    }

    @Override
    public void addTo(StreamExecutionEnvironment environment, String id) {
        new ComputeJob(
                        id,
                        name,
                        List.of(view),
                        new ComputeJob.FilesToTopics(
                                Map.of(view.source().topics().get(0), List.of(events)),
                                broker.clusters(view.source().kafka(), sink().kafka())),
                        lookups.sources(List.of(view)),
                        null,
                        ClockSpec.system())
                .addTo(environment);
    }

    private SinkSpec sink() {
        return Objects.requireNonNull(view.sink(), "the job has one");
    }

    @Override
    public List<Class<?>> needed() {
        return lookups.sources(List.of(view)) instanceof RedisLookups ? List.of(RedisLookups.class) : List.of();
    }

    @Override
    public Duration checkpoints() {
        return CHECKPOINTS;
    }

    @Override
    public void settle() throws InterruptedException {
        broker.settle(sink().topic());
    }

    @Override
    public List<byte[]> result(String id) {
        return broker.committedAtTheEnd(sink().topic());
    }
}
