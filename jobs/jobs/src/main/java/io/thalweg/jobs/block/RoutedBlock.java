package io.thalweg.jobs.block;

/** Accepted events of one shard: the only form in which events cross the network before they are counted. */
public sealed interface RoutedBlock permits ShardBlock, KeyedShardBlock {
    int shard();

    /** The number of entries that cross the network: events, or several events that were combined. */
    int entries();

    /** The key for {@code keyBy}. */
    default int recordKey() {
        return Shards.recordKey(shard());
    }
}
