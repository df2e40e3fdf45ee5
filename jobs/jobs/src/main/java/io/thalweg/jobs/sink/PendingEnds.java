package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.OutputItem;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.DefaultOperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StatePartitionStreamProvider;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.jspecify.annotations.Nullable;

/**
 * The window ends that were handed to the writer of a store but not emitted, and since when they can be read.
 *
 * <p><b>State.</b> The window ends before the barrier, with their times. Raw operator state, because the times are known only when the
 * writer has flushed, in the asynchronous part of the checkpoint.
 *
 * <p><b>Threads.</b> {@link #written} is called by the writer's thread, a {@link Snapshot} is written by that of the checkpoint, after the
 * writer's flush; the task's thread calls everything else.
 */
final class PendingEnds {
    private static final long NO_ROWS = Long.MIN_VALUE;

    private final LongSupplier nowMs;
    private final Deque<Pending> pending = new ArrayDeque<>();
    /** The part of {@link #pending} that the store does not have yet. */
    private final Queue<Pending> unwritten = new ConcurrentLinkedQueue<>();

    /** When the store had the last rows since a progress: they are of the shard whose progress follows. Used by the writer's thread. */
    private long rowsAtMs = NO_ROWS;

    PendingEnds(LongSupplier nowMs) {
        this.nowMs = nowMs;
    }

    /** A window end of a shard; it can be read once {@link #readable} is set. */
    private static final class Pending {
        private final int shard;
        private final long endMs;
        private volatile @Nullable ReadableEnd readable;

        Pending(int shard, long endMs) {
            this.shard = shard;
            this.endMs = endMs;
        }

        ReadableEnd readable() {
            return Objects.requireNonNull(readable, "the writer has flushed");
        }
    }

    /** Notes what is handed to the writer next. */
    void add(OutputItem item) {
        if (item instanceof OutputItem.Done done) {
            Pending added = new Pending(done.progress().shard(), done.progress().windowEndMs());
            pending.add(added);
            unwritten.add(added);
        }
    }

    /** Notes that the store has an item. */
    void written(OutputItem item) {
        if (item instanceof OutputItem.Done) {
            long atMs = nowMs.getAsLong();
            Pending written = unwritten.remove();
            written.readable =
                    new ReadableEnd(written.shard, written.endMs, rowsAtMs == NO_ROWS ? atMs : rowsAtMs, atMs);
            rowsAtMs = NO_ROWS;
        } else if (!item.isPartial()) {
            rowsAtMs = nowMs.getAsLong();
        }
    }

    /** Removes the window ends that can be read. */
    void drain(Consumer<ReadableEnd> to) {
        for (Pending next = pending.peek(); next != null && next.readable != null; next = pending.peek()) {
            to.accept(pending.remove().readable());
        }
    }

    /** Adds the window ends of a snapshot. */
    void restore(Iterable<StatePartitionStreamProvider> snapshots) throws IOException {
        for (StatePartitionStreamProvider each : snapshots) {
            DataInputStream in = new DataInputStream(each.getStream());
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                Pending restored = new Pending(in.readInt(), in.readLong());
                restored.readable = new ReadableEnd(restored.shard, restored.endMs, in.readLong(), in.readLong());
                pending.add(restored);
            }
        }
    }

    /** Returns the window ends that are pending now, to be written when the writer has flushed them. */
    Snapshot snapshot() {
        return new Snapshot(List.copyOf(pending));
    }

    /** Window ends before a barrier. */
    static final class Snapshot {
        private final List<Pending> ends;

        private Snapshot(List<Pending> ends) {
            this.ends = ends;
        }

        SnapshotResult<OperatorStateHandle> write(CheckpointStreamFactory storage) throws IOException {
            if (ends.isEmpty()) {
                return SnapshotResult.empty();
            }
            try (CheckpointStateOutputStream out =
                    storage.createCheckpointStateOutputStream(CheckpointedStateScope.EXCLUSIVE)) {
                long start = out.getPos();
                write(new DataOutputStream(out));
                StreamStateHandle written = Objects.requireNonNull(out.closeAndGetHandle());
                var info = new OperatorStateHandle.StateMetaInfo(
                        new long[] {start}, OperatorStateHandle.Mode.SPLIT_DISTRIBUTE);
                return SnapshotResult.of(new OperatorStreamStateHandle(
                        Map.of(DefaultOperatorStateBackend.DEFAULT_OPERATOR_STATE_NAME, info), written));
            }
        }

        private void write(DataOutputStream out) throws IOException {
            out.writeInt(ends.size());
            for (Pending each : ends) {
                ReadableEnd end = each.readable();
                out.writeInt(end.shard());
                out.writeLong(end.windowEndMs());
                out.writeLong(end.rowsAtMs());
                out.writeLong(end.atMs());
            }
            out.flush();
        }
    }
}
