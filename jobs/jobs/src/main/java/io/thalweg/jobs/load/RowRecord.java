package io.thalweg.jobs.load;

import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import org.jspecify.annotations.Nullable;

/** A record of a row topic, undecoded. */
record RowRecord(String topic, int partition, long offset, byte @Nullable [] value) {
    static final BlockType<RowRecord> TYPE = Chained.type(RowRecord.class);

    Origin origin() {
        return new Origin(topic, partition, offset);
    }
}
