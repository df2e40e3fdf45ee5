package io.thalweg.pipelinetest;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.jobs.file.FileBlockSource.Partitions;
import io.thalweg.jobs.sink.LocalStreams;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.runner.ConfiguredLookups;
import java.io.Closeable;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * Runs a view over files of events through the job that {@code run --input} runs.
 *
 * @param events files, each of which is a partition
 * @param rows receives the rows
 * @param deadLetters receives the dead letters, as lines of JSON
 * @param store the folder of an embedded store that also receives the rows; null = none
 */
record ViewJob(
        FeatureView view,
        List<String> events,
        ConfiguredLookups lookups,
        OutputStream rows,
        OutputStream deadLetters,
        @Nullable Path store)
        implements TestCluster.Job<Counts> {
    /** Creates a job without dead letters and without a store. */
    ViewJob(FeatureView view, List<String> events, ConfiguredLookups lookups, OutputStream rows) {
        this(view, events, lookups, rows, OutputStream.nullOutputStream(), null);
    }

    @Override
    public Closeable open(String id) {
        LookupTables tables = lookups.open(id, List.of(view));
        LocalStreams.register(id, rows, deadLetters);
        return tables::close;
    }

    @Override
    public void addTo(StreamExecutionEnvironment environment, String id) {
        String topic = view.source().topics().get(0);
        new ComputeJob(
                        id,
                        "test",
                        List.of(view),
                        new ComputeJob.Files(Map.of(topic, events), Partitions.ONE_PER_FILE),
                        lookups.sources(List.of(view)),
                        store == null ? null : store.toString(),
                        ClockSpec.system())
                .addTo(environment);
    }

    @Override
    public @Nullable Duration checkpoints() {
        return null;
    }

    @Override
    public Counts result(String id) {
        JobMetrics.View metrics = JobMetrics.of(id).view(view.qualifiedName());
        Map<String, Long> outcomes = new LinkedHashMap<>();
        for (EventOutcome outcome : EventOutcome.values()) {
            long events = metrics.outcome(outcome);
            if (events > 0 || outcome != EventOutcome.TOMBSTONE) { // few tests send one
                outcomes.put(outcome.text(), events);
            }
        }
        Map<String, Long> reasons = new LinkedHashMap<>();
        for (BadReason reason : BadReason.values()) {
            if (metrics.badCount(reason) > 0) {
                reasons.put(reason.text(), metrics.badCount(reason));
            }
        }
        return new Counts(outcomes, reasons);
    }
}
