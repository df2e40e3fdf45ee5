package io.thalweg.jobs.kafka;

import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import org.jspecify.annotations.Nullable;

/**
 * Decodes fetched records into blocks.
 *
 * <p><b>Threads.</b> One thread decodes, another may give back.
 *
 * @param <B> a block; it may refer to {@link FetchedRecords#bytes}
 */
interface PollDecoder<B> {
    /** Decodes the next records; null after the last one. The caller owns the block until it gives it back. */
    @Nullable
    B decode(FetchedRecords records);

    /** Takes back a block that is no longer read, for reuse. */
    void giveBack(B block);
}
