package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.Emission;
import io.thalweg.model.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes on a thread of its own, so that the rows for Kafka need not wait for the store's disk.
 *
 * <p>The permits are the bytes that may be handed over and not written yet; whoever holds them all knows that everything is
 * written. They are many, for all rows of a window end leave at once and Kafka should have them before the disk has.
 *
 * <p><b>Threads.</b> One task's; the store and the metrics are called from the writer's own.
 */
final class StoreWriter implements SinkWriter<Emission> {
    private static final int BYTES_BEHIND = 64 << 20;

    private final FeatureView view;
    private final OnlineStore store;
    private final JobMetrics.View metrics;
    private final Semaphore room = new Semaphore(BYTES_BEHIND);
    private final ExecutorService thread;
    private volatile @Nullable RuntimeException failure;

    StoreWriter(FeatureView view, OnlineStore store, JobMetrics.View metrics) {
        this.view = view;
        this.store = store;
        this.metrics = metrics;
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "thalweg-store-" + view.qualifiedName());
            made.setDaemon(true);
            return made;
        });
    }

    @Override
    public void write(Emission emission, Context context) throws InterruptedException {
        int permits = (int) Math.min(emission.heapBytes(), BYTES_BEHIND);
        room.acquire(permits);
        failIfFailed();
        thread.execute(() -> {
            try {
                store(emission);
            } catch (RuntimeException e) {
                failure = e;
            } finally {
                room.release(permits);
            }
        });
    }

    /** After a failure nothing more is written: progress must not stand in the store without the rows before it. */
    private void store(Emission emission) {
        if (failure != null) {
            return;
        }
        if (emission instanceof Emission.Rows rows) {
            store.write(view, List.of(rows.block()));
        } else if (emission instanceof Emission.Keyed rows) {
            store.writeKeyed(view, List.of(rows.block()));
        } else if (emission instanceof Emission.Done done) {
            store.writeProgress(done.progress());
            metrics.readable(done.progress().shards(), done.progress().windowEndMs());
        }
    }

    private void failIfFailed() {
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw new StoreException(
                    "rows of " + view.qualifiedName() + " could not be written: " + thrown.getMessage(), thrown);
        }
    }

    @Override
    public void flush(boolean endOfInput) throws InterruptedException {
        room.acquire(BYTES_BEHIND);
        room.release(BYTES_BEHIND);
        failIfFailed();
        store.flush();
    }

    /** What was not flushed belongs to no checkpoint and comes again: it is dropped. */
    @Override
    public void close() {
        thread.shutdownNow();
        store.close();
    }
}
