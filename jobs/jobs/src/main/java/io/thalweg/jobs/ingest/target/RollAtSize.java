package io.thalweg.jobs.ingest.target;

import java.io.IOException;
import org.apache.flink.streaming.api.functions.sink.filesystem.PartFileInfo;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.CheckpointRollingPolicy;

/**
 * Completes a file at each checkpoint, or earlier when it reaches a size (row groups in memory do not count) or when too many are
 * open.
 */
public final class RollAtSize extends CheckpointRollingPolicy<FolderRows, String> {
    private static final long serialVersionUID = 1L;

    private final long bytes;
    private final OpenFolders open;

    public RollAtSize(long bytes, OpenFolders open) {
        this.bytes = bytes;
        this.open = open;
    }

    @Override
    public boolean shouldRollOnEvent(PartFileInfo<String> file, FolderRows batch) throws IOException {
        return file.getSize() >= bytes;
    }

    @Override
    public boolean shouldRollOnProcessingTime(PartFileInfo<String> file, long nowMs) {
        return open.isExcess(file.getBucketId());
    }
}
