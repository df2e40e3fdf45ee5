package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way to Kafka.
 *
 * @param shard decides the partition, so that a shard's progress follows its rows in the same one; −1 lets the key decide
 * @param timestampMs the record's timestamp
 */
public record KafkaRecord(int shard, byte @Nullable [] key, byte[] value, long timestampMs) {
    public static final BlockType<KafkaRecord> TYPE = Chained.type(KafkaRecord.class);
}
