package io.thalweg.jobs.kafka;

import io.thalweg.formats.file.RecordHeader;
import io.thalweg.formats.file.RecordRanges;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition where they were fetched: ranges of arrays that others share. Keys and headers are copied when they are asked
 * for.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class FetchedBlock extends RecordRanges {
    private static final TopicPartition NONE = new TopicPartition("", NO_PARTITION);

    private final @Nullable String codecHeader;
    private TopicPartition partition = NONE;
    private long lost;
    /** The last offset that is lost, of a block without records. */
    private long lastLost = -1;

    private long[] timestampMs = new long[FIRST_CAPACITY];
    private int[] keyFrom = new int[FIRST_CAPACITY];
    /** -1 for a record without a key. */
    private int[] keyLength = new int[FIRST_CAPACITY];

    /** Behind the headers, which begin where the value ends. */
    private int[] headersTo = new int[FIRST_CAPACITY];

    /**
     * An empty block.
     *
     * @param codecHeader the header in which a record names its compression; null = records do not
     */
    FetchedBlock(@Nullable String codecHeader) {
        this.codecHeader = codecHeader;
    }

    /** No records: those that Kafka deleted before they were read. */
    static FetchedBlock lost(TopicPartition partition, long from, long to) {
        FetchedBlock block = new FetchedBlock(null);
        block.begin(partition);
        block.lost = to - from;
        block.lastLost = to - 1;
        return block;
    }

    /** Starts with no records. */
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
    }

    @Override
    protected void grow(int capacity) {
        timestampMs = Arrays.copyOf(timestampMs, capacity);
        keyFrom = Arrays.copyOf(keyFrom, capacity);
        keyLength = Arrays.copyOf(keyLength, capacity);
        headersTo = Arrays.copyOf(headersTo, capacity);
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
    public byte @Nullable [] key(int i) {
        return keyLength[i] < 0 ? null : Arrays.copyOfRange(data(i), keyFrom[i], keyFrom[i] + keyLength[i]);
    }

    @Override
    public long timestampMs(int i) {
        return timestampMs[i];
    }

    /** Not the one that names the compression, which is off. */
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
