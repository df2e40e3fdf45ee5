package io.thalweg.jobs.block;

/** Accepted events of one shard: the only thing that crosses the network on the way to where they are counted. */
public sealed interface RoutedBlock permits ShardBlock, KeyedShardBlock {
    int shard();

    /** The number of entries that cross the network: events, or several events that were combined. */
    int entries();

    /** For {@code keyBy}. */
    default int recordKey() {
        return Shards.recordKey(shard());
    }
}
