package io.thalweg.jobs.sink;

import io.thalweg.formats.DeadLetter;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.JobPriority;
import io.thalweg.jobs.RetryPolicy;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.load.DeadLetterReason;
import io.thalweg.jobs.load.LoadItem;
import io.thalweg.jobs.load.Origin;
import io.thalweg.jobs.load.RefusedRowIsolation;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.row.WaitingBlocks;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes rows to a store on a separate thread, so that rows for Kafka do not wait for the store's disk.
 *
 * <p>The permits of the semaphore are the bytes that may be queued. There are many, because all rows of a window end are emitted at once
 * and should reach Kafka before the disk.
 *
 * <p><b>Standing back.</b> If the tasks use all processors, queued rows wait until their window end is assembled, because the writer's
 * thread would only delay the assembly. Writing starts when the watermark arrives, which follows the rows, when the queue is full, or
 * when a row has waited long enough. Early rows, and the rows queued before them, are written at once.
 *
 * <p><b>Failures.</b> Transient failures are retried without limit, with increasing delays. Meanwhile the queue fills up and then blocks
 * the task. A row that the store refuses permanently becomes a dead letter, and the other rows are written. Any other failure fails the
 * job, which restarts from its checkpoint.
 *
 * <p><b>Threads.</b> Used by one task; calls the store, the dead letters and the metrics on the writer's thread.
 */
final class StoreWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWriter.class);
    private static final int MOST_BYTES_BEHIND = 128 << 20;
    /** The share of the heap, as a divisor, that all tasks of a view may have queued. */
    private static final int HEAP_SHARE = 16;
    /** The reason that {@code publish} uses as well. */
    private static final String REFUSED = DeadLetterReason.REFUSED.text();

    private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final FeatureView view;
    private final OnlineStore store;
    private final DeadLetters.Writer letters;
    private final RowJson json;
    private final JobMetrics.View metrics;
    private final Consumer<OutputItem> written;
    private final int bytesBehind;
    private final Semaphore room;
    private final WaitingBlocks waitingBlocks = new WaitingBlocks();
    private final long standsBackNanos;
    /** Opens up to the last queued item that the thread may write. */
    private final SequenceGate gate = new SequenceGate();

    private long handedOver;
    private final RetryPolicy retryPolicy;
    private final ExecutorService thread;
    private boolean waiting; // used by the writer's thread only
    private volatile @Nullable Throwable failure;
    private long refusedSinceLog;
    private long loggedNanos;

    /**
     * Creates the writer of one task.
     *
     * @param written receives each item once the store has it; called on the writer's thread
     * @param tasks number of tasks that write this view
     * @param standsBack the longest time that a row waits for the other rows of its window end
     */
    StoreWriter(
            FeatureView view,
            OnlineStore store,
            DeadLetters.Writer letters,
            JobMetrics.View metrics,
            Consumer<OutputItem> written,
            int tasks,
            Duration standsBack,
            RetryPolicy.Pause pause) {
        this.view = view;
        this.store = store;
        this.letters = letters;
        this.json = RowJson.of(view);
        this.metrics = metrics;
        this.written = written;
        this.bytesBehind =
                (int) Math.min(MOST_BYTES_BEHIND, Runtime.getRuntime().maxMemory() / HEAP_SHARE / tasks);
        this.room = new Semaphore(bytesBehind);
        this.standsBackNanos = standsBack.toNanos();
        this.retryPolicy = new RetryPolicy(ThreadLocalRandom::current, pause, this::refused);
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "thalweg-store-" + view.qualifiedName());
            made.setDaemon(true);
            JobPriority.give(made);
            return made;
        });
    }

    /**
     * Queues an item. Blocks while the queue is full.
     *
     * @throws StoreException if an earlier item could not be written
     */
    void write(OutputItem item) throws InterruptedException {
        int permits = (int) Math.min(item.heapBytes(), bytesBehind);
        if (!room.tryAcquire(permits)) {
            gate.letThrough(handedOver);
            room.acquire(permits);
        }
        failIfFailed();
        long number = ++handedOver;
        if (item.isPartial()) {
            gate.letThrough(number);
        }
        long untilNanos = System.nanoTime() + standsBackNanos;
        Supplier<OutputItem> copy = copy(item);
        thread.execute(() -> {
            try {
                gate.await(number, untilNanos);
                store(copy.get());
            } catch (RuntimeException | Error e) {
                failure = e;
            } catch (InterruptedException e) {
                failure = new StoreException("the writer was closed", e);
            } finally {
                room.release(permits);
            }
        });
    }

    /** Returns the item to write later. Its rows do not wait as young objects, which every collection would copy. */
    private Supplier<OutputItem> copy(OutputItem item) {
        if (item instanceof OutputItem.Rows rows && rows.block() instanceof HexRowBlock block) {
            Supplier<HexRowBlock> copy = waitingBlocks.copy(block);
            return () -> new OutputItem.Rows(copy.get());
        }
        return () -> item;
    }

    /** Writes an item, unless an earlier one failed: progress must not reach the store without the rows before it. */
    private void store(OutputItem item) throws InterruptedException {
        if (failure != null) {
            return;
        }
        if (item instanceof OutputItem.Rows rows) {
            RefusedRowIsolation.write(
                    List.of(new LoadItem.Rows(rows.block(), Origin.NONE)), this::write, this::refused);
        } else if (item instanceof OutputItem.Done done) {
            withRetries(() -> store.writeProgress(done.progress()));
            metrics.readable(done.progress().shards(), done.progress().windowEndMs());
        }
        written.accept(item);
    }

    private void write(List<LoadItem.Rows> rows) throws InterruptedException {
        List<RowBlock> blocks = rows.stream().map(LoadItem.Rows::block).toList();
        withRetries(() -> store.write(view, blocks));
    }

    /** Writes a dead letter without a source, because a row is computed from many events. */
    private void refused(LoadItem.Rows row, StoreException refusal) {
        String reason = String.valueOf(refusal.getMessage());
        Origin none = row.origin();
        letters.write(DeadLetter.ofRow(
                view.qualifiedName(),
                REFUSED,
                reason,
                none.source(),
                none.partition(),
                none.offset(),
                json.value(row.block(), 0)));
        metrics.refused(1);
        refusedSinceLog++;
        long now = System.nanoTime();
        if ((refusedSinceLog == 1 && loggedNanos == 0) || now - loggedNanos >= LOG_EVERY_NANOS) {
            LOG.warn(
                    "The store refuses rows of {}, {} of them since the last report; they are dead letters, the others are"
                            + " written: {}",
                    view.qualifiedName(),
                    refusedSinceLog,
                    reason);
            loggedNanos = now;
            refusedSinceLog = 0;
        }
    }

    private void withRetries(Runnable call) throws InterruptedException {
        retryPolicy.call(call);
        if (waiting) {
            waiting = false;
            LOG.warn("Rows of {} are written again", view.qualifiedName()); // shown wherever the wait was
        }
    }

    private void refused(StoreException refusal) {
        if (!waiting) {
            waiting = true;
            LOG.warn("Rows of {} wait, nothing is lost: {}", view.qualifiedName(), refusal.getMessage());
        }
    }

    private void failIfFailed() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new StoreException(
                    "rows of " + view.qualifiedName() + " could not be written: " + thrown.getMessage(), thrown);
        }
    }

    /**
     * Lets all items queued so far be written without waiting for others of their window end.
     *
     * @throws StoreException if one of them could not be written
     */
    void standBackNoLonger() {
        gate.letThrough(handedOver);
        failIfFailed();
    }

    /**
     * Makes all items queued so far durable.
     *
     * @return completes when the items are durable; fails if one of them could not be written
     * @throws StoreException if an item is already known to have failed
     */
    Future<?> flush() {
        failIfFailed(); // fails the task, because some failed checkpoints are tolerated
        return thread.submit(() -> {
            failIfFailed();
            try {
                letters.flush();
                withRetries(store::flush);
            } catch (RuntimeException | Error e) {
                failure = e;
                throw e;
            }
            return null;
        });
    }

    /** Drops the rows that were not flushed. They belong to no checkpoint and are recomputed. */
    @Override
    public void close() {
        for (Runnable dropped : thread.shutdownNow()) {
            if (dropped instanceof Future<?> flush) {
                flush.cancel(false); // a checkpoint may be waiting for it
            }
        }
        letters.close();
        store.close();
    }
}
