package io.thalweg.bench.advertising;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.view.FeatureView;
import java.util.UUID;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Thalweg: a keyed view counts keys in windows of an hour. */
final class ThalwegKeys {
    private static final FeatureView VIEW = KeyedJob.view("key_views", "1h");

    private ThalwegKeys() {}

    /** Adds the job and returns the metrics of its view. */
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
