package io.thalweg.store;

import io.thalweg.model.row.Progress;
import java.util.Arrays;
import java.util.OptionalLong;

/** The progress of the shards of one view. Guarded by its owner, except for {@link #watermark}, which any thread may read. */
final class ProgressBook {
    private static final long ABSENT = Long.MIN_VALUE;

    private final long[] ends;
    private volatile OptionalLong watermark = OptionalLong.empty();

    ProgressBook(int shards) {
        ends = new long[shards];
        Arrays.fill(ends, ABSENT);
    }

    int shards() {
        return ends.length;
    }

    boolean advances(Progress progress) {
        return progress.windowEndMs() > ends[progress.shard()];
    }

    void record(Progress progress) {
        long before = ends[progress.shard()];
        ends[progress.shard()] = Math.max(before, progress.windowEndMs());
        if (before == ABSENT || before == watermark.orElse(before)) {
            long least = Arrays.stream(ends).min().orElse(ABSENT);
            watermark = least == ABSENT ? OptionalLong.empty() : OptionalLong.of(least);
        }
    }

    OptionalLong watermark() {
        return watermark;
    }
}
