package io.thalweg.jobs.kafka;

import io.thalweg.formats.file.RecordHeader;
import io.thalweg.formats.file.RecordRanges;
import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import io.thalweg.jobs.kafka.fetch.HeaderCursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition as ranges of the shared arrays that they were fetched into. Keys and headers are copied on request.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class FetchedBlock extends RecordRanges {
    private static final TopicPartition NONE = new TopicPartition("", NO_PARTITION);

    private final @Nullable String codecHeader;
    private TopicPartition partition = NONE;
    private long lost;
    /** The last lost offset, if the block has no records. */
    private long lastLost = -1;

    private long[] timestampMs = new long[FIRST_CAPACITY];
    private int[] keyFrom = new int[FIRST_CAPACITY];
    /** -1 for a record without a key. */
    private int[] keyLength = new int[FIRST_CAPACITY];

    /** End of the headers, which begin where the value ends. */
    private int[] headersTo = new int[FIRST_CAPACITY];

    private boolean[] tombstones = new boolean[FIRST_CAPACITY];

    /**
     * Creates an empty block.
     *
     * @param codecHeader the header that names a record's compression; null = records have none
     */
    FetchedBlock(@Nullable String codecHeader) {
        this.codecHeader = codecHeader;
    }

    /** Creates a block without records that stands for those that Kafka deleted before they were read. */
    static FetchedBlock lost(TopicPartition partition, long from, long to) {
        FetchedBlock block = new FetchedBlock(null);
        block.begin(partition);
        block.lost = to - from;
        block.lastLost = to - 1;
        return block;
    }

    /** Starts a block without records. */
    void begin(TopicPartition of) {
        partition = of;
    }

    /** Adds the current record. */
    void add(FetchedRecords records) {
        int i = put(records.bytes(), records.valueAt(), records.headersAt(), records.offset());
        timestampMs[i] = records.timestampMs();
        keyFrom[i] = records.keyAt();
        keyLength[i] = records.keyLength();
        headersTo[i] = records.headersEnd();
        tombstones[i] = records.valueLength() < 0;
    }

    @Override
    protected void grow(int capacity) {
        timestampMs = Arrays.copyOf(timestampMs, capacity);
        keyFrom = Arrays.copyOf(keyFrom, capacity);
        keyLength = Arrays.copyOf(keyLength, capacity);
        headersTo = Arrays.copyOf(headersTo, capacity);
        tombstones = Arrays.copyOf(tombstones, capacity);
    }

    @Override
    public String source() {
        return partition.topic();
    }

    @Override
    public int partition() {
        return partition.partition();
    }

    @Override
    public long lost() {
        return lost;
    }

    @Override
    public long last() {
        return size() == 0 ? lastLost : super.last();
    }

    @Override
    public boolean isTombstone(int i) {
        return tombstones[i];
    }

    @Override
    public byte @Nullable [] key(int i) {
        return keyLength[i] < 0 ? null : Arrays.copyOfRange(data(i), keyFrom[i], keyFrom[i] + keyLength[i]);
    }

    @Override
    public long timestampMs(int i) {
        return timestampMs[i];
    }

    /** Omits the header that names the compression, because it does not apply to the decompressed value. */
    @Override
    public List<RecordHeader> headers(int i) {
        return to(i) == headersTo[i] ? List.of() : cursor(i).allBut(codecHeader);
    }

    @Override
    public @Nullable String codec(int i) {
        byte[] name = codecHeader == null ? null : cursor(i).last(codecHeader);
        return name == null ? null : new String(name, StandardCharsets.UTF_8);
    }

    private HeaderCursor cursor(int i) {
        return new HeaderCursor(
                data(i), to(i), headersTo[i], () -> "the record at offset " + position(i) + " of " + partition);
    }
}
