package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Meter.HeapWatch;
import io.thalweg.bench.rivals.RivalFlink;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.view.FeatureView;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The process of one system that keeps very many keys. First each key occurs once, which is not measured. Then random keys follow
 * for the requested time, including a checkpoint to files. Finally the hour ends, and the counts are emitted.
 */
public final class KeyContestant {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** How long to wait for the next row. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** The start of the checkpoint, as a share of the measured time. */
    private static final double CHECKPOINT_AT = 0.2;

    private static final Duration NEVER = Duration.ofDays(1);

    private final KeyLoad load;
    private final int parallelism;
    private final double seconds;
    private final MiniCluster flink;
    private final JobID job;
    private final JobMetrics.View view;
    private final Figures figures = new Figures();
    private long nextSayNanos = System.nanoTime() + SAY_NANOS;

    private KeyContestant(Order order, MiniCluster flink, JobGraph graph, JobMetrics.View view) {
        load = new KeyLoad(order.keys());
        parallelism = order.parallelism();
        seconds = order.seconds();
        this.flink = flink;
        job = graph.getJobID();
        this.view = view;
    }

    /** The number of keys, and for how long random keys are drawn. */
    record Order(int keys, int parallelism, double seconds) {}

    /** Runs the {@link Order} in the argument. */
    public static void main(String[] args) {
        Messages.endWith(() -> run(Messages.read(args[0], Order.class)));
    }

    private static Score run(Order order) throws Exception {
        Configuration settings = RivalFlink.settings(Folders.temporary().resolve("checkpoints"));
        settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, NEVER); // only on request
        settings.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, NEVER);
        settings.set(RestOptions.ADDRESS, "127.0.0.1");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createLocalEnvironment(order.parallelism(), settings);
        JobMetrics.View view = ThalwegKeys.build(environment, new KeyLoad(order.keys()), order.parallelism());
        JobGraph graph = environment.getStreamGraph().getJobGraph();
        HeapWatch heap = HeapWatch.start();
        MiniCluster flink = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(settings)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(order.parallelism())
                .build());
        try {
            flink.start();
            flink.submitJob(graph).get();
            return new KeyContestant(order, flink, graph, view).score(heap);
        } finally {
            flink.closeAsync().get();
        }
    }

    private Score score(HeapWatch heap) throws Exception {
        awaitRunning();
        long emptyHeap = heap.collect();
        figures.put("keys", load.keys());
        prefill();
        long fullHeap = heap.collect();
        measure();
        figures.put("heap_bytes_per_key", perKey(fullHeap - emptyHeap))
                .put("heap_peak_bytes_per_key", perKey(heap.mostBytes() - emptyHeap))
                .put("resident_peak_bytes", Meter.residentPeakBytes());
        awaitRows();
        flink.cancelJob(job).get();
        return figures.score(difference());
    }

    /** Waits until all tasks run, because a checkpoint cannot begin before. */
    private void awaitRunning() throws Exception {
        boolean running = false;
        while (!running) {
            look("the job starts");
            running = flink.getJobStatus(job).get() == JobStatus.RUNNING; // there are no tasks before
            for (var task : flink.getExecutionGraph(job).get().getAllExecutionVertices()) {
                running &= task.getExecutionState() == ExecutionState.RUNNING;
            }
        }
    }

    /**
     * Creates the state of all keys. The source sends a watermark after the first events of all keys. Once it arrives, these events
     * have arrived, too, except for those in the network buffers of other subtasks.
     */
    private void prefill() throws Exception {
        long begin = System.nanoTime();
        KeyLoad.allow(load.keys());
        while (view.watermarkMs() < KeyLoad.TIME_MS) {
            look("keys so far: %,d of %,d".formatted(KeyLoad.drawn(), load.keys()));
        }
        figures.put("prefill_seconds", (System.nanoTime() - begin) / 1e9);
    }

    private void measure() throws Exception {
        long drawn = KeyLoad.drawn();
        double cpu = Meter.cpuSeconds();
        long begin = System.nanoTime();
        KeyLoad.allow(Long.MAX_VALUE);
        awaitUntil(begin + (long) (seconds * CHECKPOINT_AT * 1e9));
        CompletableFuture<String> checkpoint = flink.triggerCheckpoint(job);
        awaitUntil(begin + (long) (seconds * 1e9));
        while (!checkpoint.isDone()) {
            look("the checkpoint is not yet done");
        }
        double took = (System.nanoTime() - begin) / 1e9;
        double cpuTook = Meter.cpuSeconds() - cpu;
        long events = KeyLoad.drawn() - drawn;
        checkpoint.get();
        KeyLoad.close();
        figures.rate("events", events, took, cpuTook);
        reportCheckpoint();
    }

    private void reportCheckpoint() throws Exception {
        CompletedCheckpointStats stats = Objects.requireNonNull(
                Objects.requireNonNull(flink.getExecutionGraph(job).get().getCheckpointStatsSnapshot())
                        .getHistory()
                        .getLatestCompletedCheckpoint(),
                "a checkpoint that is done is in Flink's history");
        long pause = stats.getAllTaskStateStats().stream()
                .mapToLong(task -> Objects.requireNonNull(task.getSummaryStats())
                        .getSyncCheckpointDurationStats()
                        .getMaximum())
                .max()
                .orElse(0);
        double took = stats.getEndToEndDuration() / 1e3;
        figures.put("checkpoint_seconds", took)
                .put("checkpoint_bytes", stats.getStateSize())
                .put("checkpoint_to_disk_gb_per_second", stats.getStateSize() / took / 1e9)
                .put("snapshot_pause_max_ms", pause);
    }

    private void awaitRows() throws Exception {
        long begin = System.nanoTime();
        long rows = 0;
        for (long since = begin; rows < load.keys() && System.nanoTime() - since < PATIENCE_NANOS; ) {
            look("rows so far: %,d".formatted(rows));
            long now = AdCounts.OF_PROCESS.rows();
            since = now > rows ? System.nanoTime() : since;
            rows = now;
        }
        figures.put("rows", rows).put("rows_seconds", (System.nanoTime() - begin) / 1e9);
    }

    /** Returns how the rows are wrong; empty if each key has one row, and all counts are those of the drawn events. */
    private String difference() {
        AdCounts counted = AdCounts.OF_PROCESS;
        long drawn = KeyLoad.drawn();
        if (counted.rows() != load.keys() || counted.events() != drawn) {
            return "%,d rows of %,d events, not %,d of %,d"
                    .formatted(counted.rows(), counted.events(), load.keys(), drawn);
        }
        return counted.digest() == load.digest(parallelism) ? "" : "as many rows and events, of other counts";
    }

    private void awaitUntil(long nanos) throws Exception {
        while (System.nanoTime() - nanos < 0) {
            look("events so far: %,d".formatted(KeyLoad.drawn() - load.keys()));
        }
    }

    /** Waits a moment; fails if the job has failed. */
    private void look(String progress) throws Exception {
        LockSupport.parkNanos(LOOK_NANOS);
        if (flink.getJobStatus(job).get().isGloballyTerminalState()) {
            var failure = flink.getExecutionGraph(job).get().getFailureInfo();
            throw new IllegalStateException(failure == null ? "the job has ended" : failure.getExceptionAsString());
        }
        if (System.nanoTime() - nextSayNanos > 0) {
            nextSayNanos = System.nanoTime() + SAY_NANOS;
            Messages.progress(progress);
        }
    }

    private double perKey(long bytes) {
        return bytes / (double) load.keys();
    }

    /** Thalweg: a keyed view counts keys in windows of an hour. */
    static final class ThalwegKeys {
        private static final FeatureView VIEW = KeyedJob.view("key_views", "1h");

        private ThalwegKeys() {}

        static JobMetrics.View build(StreamExecutionEnvironment environment, KeyLoad load, int parallelism) {
            String job = UUID.randomUUID().toString();
            AdSource<KeyLoad, Keys> events = new AdSource<>(load, parallelism, () -> ThalwegKeys::emit);
            KeyedJob.addTo(environment, job, events, Keys.class, new Route(), ThalwegKeys::count);
            return JobMetrics.of(job).view(VIEW.qualifiedName());
        }

        private static void count(KeyedRowBlock rows) {
            long events = 0;
            long digest = 0;
            for (int row = 0; row < rows.rows(); row++) {
                events += rows.values().low()[row];
                digest += rows.values().low()[row] * KeyLoad.weight(rows.keys().low()[row]);
            }
            AdCounts.OF_PROCESS.addAll(rows.rows(), events, digest);
        }

        /** The keys of events. */
        record Keys(long[] keys) {}

        private static void emit(KeyLoad load, long first, int count, int step, ReaderOutput<Keys> output) {
            long[] keys = new long[count];
            for (int i = 0; i < count; i++) {
                keys[i] = load.key(first + (long) i * step);
            }
            output.collect(new Keys(keys));
        }

        private static final class Route extends KeyedJob.Route<Keys> {
            /** The pane that contains all events. */
            private static final long PANE = VIEW.clock().pane(KeyLoad.TIME_MS);

            Route() {
                super(VIEW);
            }

            @Override
            protected void gather(Keys events) {
                for (long key : events.keys()) {
                    keys.add(key, PANE, 0);
                }
            }
        }
    }
}
