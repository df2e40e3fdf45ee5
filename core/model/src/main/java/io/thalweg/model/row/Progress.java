package io.thalweg.model.row;

/**
 * All rows of a view's shard up to and including {@code windowEndMs} are durable before this record. The view's watermark
 * as readers see it is the minimum over its shards.
 *
 * @param view qualified name
 * @param shards number of shards of the job
 */
public record Progress(String view, int shard, int shards, long windowEndMs) {}
