package io.thalweg.jobs.block;

import io.thalweg.model.row.Shard;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * The fixed set of shards that state and work are distributed by. A shard is one of Flink's key groups: its record key is the smallest
 * int that Flink maps to the group, so keying by that int routes to the shard.
 */
public final class Shards {
    /** Also {@code pipeline.max-parallelism}; kept in state, so it cannot be changed silently. */
    public static final int COUNT = Shard.COUNT;

    private static final int[] RECORD_KEYS = recordKeys();

    private Shards() {}

    /** Returns the shard that owns a tile, or the key with a {@linkplain io.thalweg.kernel.keyed.KeyWord word}. */
    public static int of(long tileOrWord) {
        return Shard.of(tileOrWord);
    }

    /** Returns the key that makes Flink send a block to the owner of the shard. */
    public static int recordKey(int shard) {
        return RECORD_KEYS[shard];
    }

    private static int[] recordKeys() {
        int[] keys = new int[COUNT];
        boolean[] found = new boolean[COUNT];
        for (int key = 0, left = COUNT; left > 0; key++) {
            int group = KeyGroupRangeAssignment.assignToKeyGroup(key, COUNT);
            if (!found[group]) {
                found[group] = true;
                keys[group] = key;
                left--;
            }
        }
        return keys;
    }
}
