package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.Shards;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The buffered entries of all shards.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
final class PerShard<G extends Gathering<?>> {
    private final List<@Nullable G> shards = new ArrayList<>(Collections.nCopies(Shards.COUNT, null));
    private final IntFunction<G> empty;

    /** Creates empty buffers; {@code empty} creates a shard's buffer on first use. */
    PerShard(IntFunction<G> empty) {
        this.empty = empty;
    }

    G at(int shard) {
        G gathering = shards.get(shard);
        if (gathering == null) {
            gathering = empty.apply(shard);
            shards.set(shard, gathering);
        }
        return gathering;
    }

    /** Sends all entries. */
    void send() {
        for (G gathering : shards) {
            if (gathering != null) {
                gathering.send();
            }
        }
    }
}
