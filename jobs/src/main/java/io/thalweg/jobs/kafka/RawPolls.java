package io.thalweg.jobs.kafka;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Collects records undecoded in blocks, which are used again once they have been given back. */
final class RawPolls implements PollDecoder<FetchedBlock> {
    /** So that what the fetcher's thread has decompressed may still be in a cache when the task reads it. */
    private static final int BLOCK_BYTES = 256 << 10;

    private final @Nullable String codecHeader;
    private final int most;
    private final Queue<FetchedBlock> free = new ConcurrentLinkedQueue<>();

    /**
     * A decoder.
     *
     * @param codecHeader the header in which a record names its compression; null = records do not
     * @param most records in one block
     */
    RawPolls(@Nullable String codecHeader, int most) {
        this.codecHeader = codecHeader;
        this.most = most;
    }

    @Override
    public @Nullable FetchedBlock decode(FetchedRecords records) {
        FetchedBlock given = free.poll();
        FetchedBlock block = given == null ? new FetchedBlock(codecHeader) : given;
        block.begin(records.topicPartition());
        while (block.size() < most && block.bytes() < BLOCK_BYTES && records.next()) {
            block.add(records);
        }
        if (block.size() == 0) {
            free.add(block);
            return null;
        }
        return block;
    }

    @Override
    public void giveBack(FetchedBlock block) {
        block.forget();
        free.add(block);
    }
}
