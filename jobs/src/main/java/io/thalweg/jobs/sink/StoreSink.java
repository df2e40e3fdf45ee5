package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.Emission;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.FeatureView;
import io.thalweg.model.RowBlock;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.Stores;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Writes rows into the embedded store of this process, each shard's progress behind its rows. The store's order rule makes
 * writing again harmless, so a flush before each checkpoint is all that exactness takes.
 *
 * @param clock what {@code now} is, for expiry
 */
public record StoreSink(FeatureView view, String path, ClockSpec clock, String jobId) implements Sink<Emission> {
    @Override
    public SinkWriter<Emission> createWriter(WriterInitContext context) {
        return new Writer(
                view,
                Stores.open(Path.of(path), clock.toClock(Clock.systemUTC())),
                JobMetrics.of(jobId).view(view.qualifiedName()));
    }

    private static final class Writer implements SinkWriter<Emission> {
        private static final int BATCH_ROWS = 4096;

        private final FeatureView view;
        private final OnlineStore store;
        private final JobMetrics.View metrics;
        private final List<RowBlock> batch = new ArrayList<>();
        private int rows;

        Writer(FeatureView view, OnlineStore store, JobMetrics.View metrics) {
            this.view = view;
            this.store = store;
            this.metrics = metrics;
        }

        @Override
        public void write(Emission emission, Context context) {
            if (emission instanceof Emission.Rows some) {
                batch.add(some.block());
                rows += some.block().rows();
                if (rows >= BATCH_ROWS) {
                    writeBatch();
                }
            } else if (emission instanceof Emission.Done done) {
                writeBatch();
                store.writeProgress(done.progress());
                metrics.readable(done.progress().shards(), done.progress().windowEndMs());
            }
        }

        private void writeBatch() {
            if (!batch.isEmpty()) {
                store.write(view, batch);
                batch.clear();
                rows = 0;
            }
        }

        @Override
        public void flush(boolean endOfInput) {
            writeBatch();
            store.flush();
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
