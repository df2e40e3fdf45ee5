package io.thalweg.jobs.kafka;

import org.jspecify.annotations.Nullable;

/**
 * Makes blocks of fetched records.
 *
 * <p><b>Threads.</b> One decodes, another may give back.
 *
 * @param <B> a block; it may refer to {@link FetchedRecords#bytes}
 */
interface PollDecoder<B> {
    /** The next records, or null behind the last one. The block is the caller's until it is given back. */
    @Nullable
    B decode(FetchedRecords records);

    /** Takes a block that is no longer read, to be used again. */
    void giveBack(B block);
}
