package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;

/**
 * All rows of a shard up to and including a window end can be read. The times are epoch ms, or {@link
 * io.thalweg.history.LogProgress#UNKNOWN} if the rows were computed after the fact.
 *
 * @param windowEndMs epoch ms
 * @param rowsAtMs since when its rows can be read: a little before its progress, from which the view's watermark follows
 * @param atMs since when its progress can be read
 */
public record ReadableEnd(int shard, long windowEndMs, long rowsAtMs, long atMs) {
    public static final BlockType<ReadableEnd> TYPE = Chained.type(ReadableEnd.class);
}
