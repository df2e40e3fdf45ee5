package io.thalweg.jobs.load;

import io.thalweg.formats.DeadLetter;
import io.thalweg.jobs.RetryPolicy;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes rows of one view into a store, in batches of which several may be in flight at once.
 *
 * <p><b>Order.</b> Rows may arrive in any order, because the store keeps the greater one. Progress is written once all rows that arrived
 * before it are written.
 *
 * <p><b>Failures.</b> Transient failures are retried without limit, with increasing delays. Meanwhile the writer blocks the source once
 * its window is full. Rows that the store refuses permanently are isolated by halving their batch and become dead letters. Any other
 * failure fails the job, which restarts from its checkpoint.
 *
 * <p><b>Checkpoints.</b> {@link #flush} returns when everything accepted before is durable; nothing is kept in state.
 *
 * <p><b>Threads.</b> Used by one task; calls the store on the writer's own threads.
 */
final class LoadWriter implements SinkWriter<LoadItem> {
    private static final Logger LOG = LoggerFactory.getLogger(LoadWriter.class);

    /** The writer's environment: time, randomness and timers. */
    interface Outside {
        /** Runs an action in the task's thread after a delay. */
        void after(long ms, Runnable run);

        /** Waits. */
        void pause(long ms) throws InterruptedException;

        RandomGenerator random();

        LongSupplier nanoTime();

        Clock clock();
    }

    private final FeatureView view;
    private final RowJson json;
    private final OnlineStore store;
    private final DeadLetters.Writer letters;
    private final DeploymentConfig.Load limits;
    private final ViewLoadMetrics counts;
    private final Outside outside;
    private final RetryPolicy retryPolicy;
    private final ExecutorService threads;

    private RowBatch filling;
    private boolean lingering;

    /*
     * Batches are submitted in the order in which they were filled and complete in any order. The progress of a batch is due when the
     * batch and all before it are written, that is, when it is at the head of the queue. It is unsettled until its progress is written.
     */

    private final Object lock = new Object();
    private final RowWindow window;
    private final Deque<RowBatch> underway = new ArrayDeque<>();
    private long rowsUnderway;
    private int writing;
    private int unsettled;
    private @Nullable Throwable failure;
    private boolean closed;

    LoadWriter(
            FeatureView view,
            OnlineStore store,
            DeadLetters.Writer letters,
            DeploymentConfig.Load limits,
            ViewLoadMetrics counts,
            Outside outside) {
        this.view = view;
        this.json = RowJson.of(view);
        this.store = store;
        this.letters = letters;
        this.limits = limits;
        this.counts = counts;
        this.outside = outside;
        this.retryPolicy = new RetryPolicy(outside::random, outside::pause, this::refused);
        this.window = new RowWindow(
                limits.batchRows(),
                limits.inFlight(),
                limits.targetLatency().duration().toNanos());
        this.filling = new RowBatch(now());
        this.threads = Executors.newFixedThreadPool(limits.inFlight(), task -> {
            Thread made = new Thread(task, "thalweg-load-" + view.qualifiedName());
            made.setDaemon(true);
            return made;
        });
    }

    private long now() {
        return outside.clock().millis();
    }

    @Override
    public void write(LoadItem item, Context context) throws InterruptedException {
        if (item instanceof LoadItem.Rows rows) {
            add(rows.block(), rows.origin());
        } else if (item instanceof LoadItem.Done done) {
            filling.add(done.progress());
            linger();
        } else if (item instanceof LoadItem.Bad bad) {
            letter(bad.reason(), bad.detail(), bad.origin(), bad.raw());
        }
    }

    /** Adds a block to the batch, whole unless it is larger than a batch, because stores write neighbours together. */
    private void add(RowBlock block, Origin origin) throws InterruptedException {
        int rows = block.rows();
        for (int from = 0; from < rows; ) {
            int most = batchRows();
            int to = Math.min(rows, from + most);
            if (filling.rows() > 0 && filling.rows() + (to - from) > most) {
                submit();
            }
            RowBlock part = to - from == rows ? block : block.rows(from, to);
            filling.add(new LoadItem.Rows(part, origin));
            from = to;
            if (filling.rows() >= most || filling.bytes() >= limits.batchBytes()) {
                submit();
            }
        }
        linger();
    }

    private int batchRows() {
        synchronized (lock) {
            return window.batchRows();
        }
    }

    private void linger() {
        if (!lingering && !filling.isEmpty()) {
            lingering = true;
            long waitedMs = Math.max(0, now() - filling.begunMs());
            outside.after(Math.max(0, limits.linger().millis() - waitedMs), this::lingered);
        }
    }

    private void lingered() {
        lingering = false;
        if (!filling.isEmpty() && now() - filling.begunMs() >= limits.linger().millis()) {
            try {
                submit();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        linger();
    }

    /** Submits the batch; blocks until the window has room for it. */
    private void submit() throws InterruptedException {
        RowBatch batch = filling;
        synchronized (lock) {
            failIfFailed();
            while (!hasRoom(batch)) {
                lock.wait();
                failIfFailed();
            }
            underway.add(batch);
            rowsUnderway += batch.rows();
            writing++;
            unsettled++;
        }
        filling = new RowBatch(now());
        threads.execute(() -> settle(batch));
    }

    private boolean hasRoom(RowBatch batch) {
        return writing == 0 || (writing < limits.inFlight() && rowsUnderway + batch.rows() <= window.rows());
    }

    private void failIfFailed() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new StoreException(
                    "rows of " + view.qualifiedName() + " could not be written: " + thrown.getMessage(), thrown);
        }
    }

    private void settle(RowBatch batch) {
        counts.began();
        try {
            if (batch.rows() > 0) {
                RefusedRowIsolation.write(batch.blocks(), this::write, this::refused);
            }
            List<RowBatch> due = written(batch);
            for (RowBatch each : due) {
                for (Progress progress : each.progress()) {
                    retryPolicy.call(() -> store.writeProgress(progress));
                }
            }
            settled(due.size());
        } catch (RuntimeException | Error | InterruptedException e) {
            fail(e);
        } finally {
            counts.ended();
        }
    }

    /** Returns the batches whose progress may be written now. */
    private List<RowBatch> written(RowBatch batch) {
        List<RowBatch> due = new ArrayList<>();
        synchronized (lock) {
            batch.markWritten();
            while (!underway.isEmpty() && underway.element().isWritten()) {
                due.add(underway.remove());
            }
            rowsUnderway -= batch.rows();
            lock.notifyAll();
        }
        return due;
    }

    private void settled(int batches) {
        synchronized (lock) {
            writing--;
            unsettled -= batches;
            lock.notifyAll();
        }
    }

    private void fail(Throwable thrown) {
        synchronized (lock) {
            if (!closed && failure == null) {
                counts.failed(String.valueOf(thrown.getMessage()));
                LOG.warn("Rows of {} could not be written", view.qualifiedName(), thrown);
            }
            failure = failure == null ? thrown : failure;
            lock.notifyAll();
        }
    }

    private void write(List<LoadItem.Rows> rows) throws InterruptedException {
        long begun = outside.nanoTime().getAsLong();
        retryPolicy.call(() -> store.write(view, RowCoalescer.of(rows)));
        long now = outside.nanoTime().getAsLong();
        int count = RefusedRowIsolation.count(rows);
        synchronized (lock) {
            window.answered(count, now - begun, now);
        }
        counts.written(count, (now - begun) / 1e9);
        readable(rows);
    }

    private void refused(LoadItem.Rows row, StoreException refusal) {
        byte[] text;
        synchronized (json) {
            text = json.value(row.block(), 0);
        }
        letter(DeadLetterReason.REFUSED, String.valueOf(refusal.getMessage()), row.origin(), text);
    }

    private void readable(List<LoadItem.Rows> rows) {
        long nowMs = now();
        for (LoadItem.Rows each : rows) {
            if (each.block().finality() == Finality.FINAL) {
                counts.readable(each.block().windowEndMs(), nowMs);
            }
        }
    }

    private void letter(DeadLetterReason reason, String detail, Origin origin, byte[] raw) {
        counts.letter(reason);
        letters.write(DeadLetter.ofRow(
                view.qualifiedName(),
                reason.text(),
                detail,
                origin.source(),
                origin.partition(),
                origin.offset(),
                raw));
    }

    private void refused(StoreException refusal) {
        synchronized (lock) {
            window.refused(outside.nanoTime().getAsLong());
        }
        counts.retried(String.valueOf(refusal.getMessage()));
        LOG.info("Rows of {} wait: {}", view.qualifiedName(), refusal.getMessage());
    }

    @Override
    public void flush(boolean endOfInput) throws InterruptedException {
        if (!filling.isEmpty()) {
            submit();
        }
        synchronized (lock) {
            failIfFailed();
            while (unsettled > 0) {
                lock.wait();
                failIfFailed();
            }
        }
        letters.flush();
        retryPolicy.call(store::flush);
    }

    /** Drops the rows that were not flushed. They belong to no checkpoint and are read again. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        threads.shutdownNow();
        letters.close();
        store.close();
    }
}
