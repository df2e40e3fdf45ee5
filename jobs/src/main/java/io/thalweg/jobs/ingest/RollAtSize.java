package io.thalweg.jobs.ingest;

import io.thalweg.records.columns.ColumnBatch;
import java.io.IOException;
import org.apache.flink.streaming.api.functions.sink.filesystem.PartFileInfo;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.CheckpointRollingPolicy;

/** Completes a file at each checkpoint, and earlier when it has reached a size: row groups that are in memory do not count. */
final class RollAtSize extends CheckpointRollingPolicy<ColumnBatch, String> {
    private static final long serialVersionUID = 1L;

    private final long bytes;

    RollAtSize(long bytes) {
        this.bytes = bytes;
    }

    @Override
    public boolean shouldRollOnEvent(PartFileInfo<String> file, ColumnBatch batch) throws IOException {
        return file.getSize() >= bytes;
    }

    @Override
    public boolean shouldRollOnProcessingTime(PartFileInfo<String> file, long nowMs) {
        return false;
    }
}
