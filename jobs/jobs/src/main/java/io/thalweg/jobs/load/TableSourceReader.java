package io.thalweg.jobs.load;

import io.thalweg.formats.BadReason;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.Shard;
import io.thalweg.model.table.Materialization;
import io.thalweg.tables.TableReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.jspecify.annotations.Nullable;

/**
 * Reads splits one after the other, a batch per turn, so that checkpoints can run between batches. At the end it emits the progress of
 * its share of the view's shards. Once all readers have done so, the view's watermark is the time at which the load began.
 *
 * <p><b>Threads.</b> The task's thread.
 */
final class TableSourceReader implements SourceReader<LoadItem, TablePosition> {
    static final int BATCH_ROWS = 1_024;

    private final SourceReaderContext context;
    private final Materialization spec;
    private final LoadMetrics.View counts;
    private final RateLimit pace;
    private final long beganMs;
    private final LongSupplier nanoTime;

    private final Deque<TablePosition> waiting = new ArrayDeque<>();
    private @Nullable TablePosition current;
    private @Nullable TableReader open;
    private boolean noMore;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    TableSourceReader(
            SourceReaderContext context,
            Materialization spec,
            LoadMetrics.View counts,
            RateLimit pace,
            long beganMs,
            LongSupplier nanoTime) {
        this.context = context;
        this.spec = spec;
        this.counts = counts;
        this.pace = pace;
        this.beganMs = beganMs;
        this.nanoTime = nanoTime;
    }

    @Override
    public void start() {
        counts.readerBegan();
        if (waiting.isEmpty()) {
            context.sendSplitRequest();
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<LoadItem> output) throws IOException {
        TableReader reader = opened();
        if (reader == null) {
            if (!noMore) {
                available = new CompletableFuture<>();
                return InputStatus.NOTHING_AVAILABLE;
            }
            tellProgress(output);
            return InputStatus.END_OF_INPUT;
        }
        long waitNanos = pace.waitNanos(nanoTime.getAsLong());
        if (waitNanos > 0) {
            available = CompletableFuture.runAsync(
                    () -> {}, CompletableFuture.delayedExecutor(waitNanos, TimeUnit.NANOSECONDS));
            return InputStatus.NOTHING_AVAILABLE;
        }
        read(reader, output);
        return InputStatus.MORE_AVAILABLE;
    }

    /** Returns the reader of the current split, or opens the next one; null if there is none. */
    private @Nullable TableReader opened() throws IOException {
        if (open == null) {
            current = waiting.poll();
            open = current == null ? null : TableReader.open(spec, current.split(), current.row(), current.loadMs());
        }
        return open;
    }

    private void read(TableReader reader, ReaderOutput<LoadItem> output) throws IOException {
        TablePosition from = java.util.Objects.requireNonNull(current);
        int read = reader.read(pace.atOnce(BATCH_ROWS), new Items(from, output));
        counts.read(read);
        counts.left(context.getIndexOfSubtask(), reader.bytesLeft());
        pace.did(read, nanoTime.getAsLong());
        current = from.at(reader.row());
        if (read == 0) {
            reader.close();
            open = null;
            current = null;
            counts.left(context.getIndexOfSubtask(), 0);
            if (waiting.isEmpty() && !noMore) {
                context.sendSplitRequest();
            }
        }
    }

    /** Passes rows and bad records to the writer. */
    private record Items(TablePosition at, ReaderOutput<LoadItem> output) implements TableReader.Output {
        @Override
        public void rows(KeyedRowBlock block) {
            output.collect(new LoadItem.Rows(block, origin(at.row())));
        }

        @Override
        public void bad(BadReason reason, String detail, long row, byte[] raw) {
            output.collect(new LoadItem.Bad(DeadLetterReason.of(reason), detail, origin(row), raw));
        }

        private Origin origin(long row) {
            return new Origin(at.split().path(), at.split().rowGroup(), row);
        }
    }

    private void tellProgress(ReaderOutput<LoadItem> output) {
        int readers = context.currentParallelism();
        for (int shard = context.getIndexOfSubtask(); shard < Shard.COUNT; shard += readers) {
            output.collect(new LoadItem.Done(new Progress(spec.view().qualifiedName(), shard, Shard.COUNT, beganMs)));
        }
    }

    @Override
    public List<TablePosition> snapshotState(long checkpointId) {
        List<TablePosition> positions = new ArrayList<>();
        if (current != null) {
            positions.add(current);
        }
        positions.addAll(waiting);
        return positions;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return open != null || !waiting.isEmpty() || noMore ? paced() : available;
    }

    /** Returns when a reader with work is available: at once, or when the rate limit allows. */
    private CompletableFuture<Void> paced() {
        return pace.waitNanos(nanoTime.getAsLong()) > 0 && open != null
                ? available
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public void addSplits(List<TablePosition> splits) {
        waiting.addAll(splits);
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMore = true;
        available.complete(null);
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
        }
    }
}
