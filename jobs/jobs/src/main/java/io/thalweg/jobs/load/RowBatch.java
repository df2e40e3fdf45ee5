package io.thalweg.jobs.load;

import io.thalweg.model.row.Progress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rows to write together, and the progress that may be written once these and all earlier rows are written. */
final class RowBatch {
    private final long begunMs;
    private final List<LoadItem.Rows> blocks = new ArrayList<>();
    /** The last progress of each shard. */
    private final Map<Integer, Progress> progress = new LinkedHashMap<>();

    private int rows;
    private long bytes;
    private boolean written;

    RowBatch(long begunMs) {
        this.begunMs = begunMs;
    }

    void add(LoadItem.Rows next) {
        blocks.add(next);
        rows += next.block().rows();
        bytes += next.block().heapBytes();
    }

    /** Adds progress and keeps the latest of each shard, which includes the earlier ones; after a recovery it may step back. */
    void add(Progress next) {
        progress.merge(
                next.shard(), next, (a, b) -> a.shards() == b.shards() && a.windowEndMs() > b.windowEndMs() ? a : b);
    }

    long begunMs() {
        return begunMs;
    }

    List<LoadItem.Rows> blocks() {
        return blocks;
    }

    Collection<Progress> progress() {
        return progress.values();
    }

    int rows() {
        return rows;
    }

    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return rows == 0 && progress.isEmpty();
    }

    // Guarded by the writer.

    void markWritten() {
        written = true;
    }

    boolean isWritten() {
        return written;
    }
}
