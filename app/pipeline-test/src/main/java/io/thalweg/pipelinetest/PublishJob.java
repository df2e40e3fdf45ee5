package io.thalweg.pipelinetest;

import io.thalweg.jobs.load.DeadLetterReason;
import io.thalweg.jobs.load.LoadJob;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.store.FolderAddress;
import java.io.Closeable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Publishes the rows of a view's topic through the job of {@code publish} into an embedded store.
 *
 * @param view the view whose sink is the topic to read
 * @param store the folder of a store that is open
 * @param nowMs the time at which the job starts, epoch ms
 * @param toItsEnd whether it ends after what the topic contains
 */
record PublishJob(FeatureView view, TestBroker broker, Path store, long nowMs, boolean toItsEnd)
        implements TestCluster.Job<PublishJob.Published> {
    private static final Duration CHECKPOINTS = Duration.ofMillis(100);

    /**
     * The outcome of a run.
     *
     * @param letters dead letters by kind
     */
    record Published(Counts counts, Map<DeadLetterKind, Long> letters) {}

    @Override
    public Closeable open(String id) {
        broker.ensureTopic(view.deadLetterTopic());
        return () -> {};
    }

    @Override
    public void addTo(StreamExecutionEnvironment environment, String id) {
        new LoadJob(
                        id,
                        "test-" + sink().topic(),
                        List.of(view),
                        broker.clusters(sink().kafka(), view.source().kafka()),
                        new FolderAddress(store.toString()),
                        DeploymentConfig.Load.DEFAULTS,
                        new ClockSpec(System.currentTimeMillis(), nowMs, 1),
                        toItsEnd)
                .addTo(environment);
    }

    @Override
    public Duration checkpoints() {
        return CHECKPOINTS;
    }

    private SinkSpec sink() {
        return Objects.requireNonNull(view.sink(), "the view has one");
    }

    private static Map<DeadLetterKind, Long> letters(LoadMetrics.View counts) {
        Map<DeadLetterKind, Long> letters = new TreeMap<>();
        for (DeadLetterReason reason : DeadLetterReason.values()) {
            if (counts.deadLetters(reason) > 0) {
                letters.put(new DeadLetterKind("", reason.text()), counts.deadLetters(reason));
            }
        }
        return letters;
    }

    @Override
    public Published result(String id) {
        LoadMetrics.View counts = LoadMetrics.of(id).view(view.qualifiedName());
        return new Published(new Counts(Map.of("rows", counts.rows()), null), letters(counts));
    }
}
