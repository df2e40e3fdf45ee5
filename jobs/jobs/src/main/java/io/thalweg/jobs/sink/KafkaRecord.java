package io.thalweg.jobs.sink;

import io.thalweg.formats.file.RecordHeader;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record to be sent to Kafka.
 *
 * @param shard selects the partition, so that a shard's progress follows its rows in the same one; −1 lets the key decide
 * @param timestampMs the record's timestamp; below 0 = the time of sending
 */
public record KafkaRecord(
        int shard, byte @Nullable [] key, byte[] value, long timestampMs, List<RecordHeader> headers) {
    public static final BlockType<KafkaRecord> TYPE = Chained.type(KafkaRecord.class);

    /** Creates a record without headers. */
    public KafkaRecord(int shard, byte @Nullable [] key, byte[] value, long timestampMs) {
        this(shard, key, value, timestampMs, List.of());
    }
}
