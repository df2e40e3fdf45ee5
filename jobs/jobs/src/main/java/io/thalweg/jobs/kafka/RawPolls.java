package io.thalweg.jobs.kafka;

import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Collects undecoded records in blocks, which are reused once they have been given back. */
final class RawPolls implements PollDecoder<FetchedBlock> {
    /** Small enough that decompressed records may still be in a cache when the task reads them. */
    private static final int BLOCK_BYTES = 256 << 10;

    private final @Nullable String codecHeader;
    private final int most;
    private final Queue<FetchedBlock> free = new ConcurrentLinkedQueue<>();

    /**
     * Creates a decoder.
     *
     * @param codecHeader the header that names a record's compression; null = records have none
     * @param most the maximum number of records in a block
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
