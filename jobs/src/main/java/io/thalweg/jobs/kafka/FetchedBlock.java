package io.thalweg.jobs.kafka;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
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
final class FetchedBlock implements RawRecords {
    private static final int FIRST_CAPACITY = 256;
    private static final TopicPartition NONE = new TopicPartition("", NO_PARTITION);

    private final @Nullable String codecHeader;
    private TopicPartition partition = NONE;
    private int size;
    private long bytes;
    private long lost;
    private long last = -1;
    private byte[][] data = new byte[FIRST_CAPACITY][];
    private long[] position = new long[FIRST_CAPACITY];
    private long[] timestampMs = new long[FIRST_CAPACITY];
    private int[] keyFrom = new int[FIRST_CAPACITY];
    /** -1 for a record without a key. */
    private int[] keyLength = new int[FIRST_CAPACITY];

    private int[] from = new int[FIRST_CAPACITY];
    /** Where the value ends, and the headers begin. */
    private int[] to = new int[FIRST_CAPACITY];

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
        block.last = to - 1;
        return block;
    }

    /** Starts with no records. */
    void begin(TopicPartition of) {
        partition = of;
    }

    /** Forgets the records. */
    void clear() {
        Arrays.fill(data, 0, size, null);
        size = 0;
        bytes = 0;
    }

    /** Adds the current record. */
    void add(FetchedRecords records) {
        if (size == from.length) {
            grow();
        }
        int i = size++;
        data[i] = records.bytes();
        position[i] = records.offset();
        timestampMs[i] = records.timestampMs();
        keyFrom[i] = records.keyAt();
        keyLength[i] = records.keyLength();
        from[i] = records.valueAt();
        to[i] = records.headersAt();
        headersTo[i] = records.headersEnd();
        bytes += to[i] - from[i];
        last = position[i];
    }

    private void grow() {
        int capacity = 2 * size;
        data = Arrays.copyOf(data, capacity);
        position = Arrays.copyOf(position, capacity);
        timestampMs = Arrays.copyOf(timestampMs, capacity);
        keyFrom = Arrays.copyOf(keyFrom, capacity);
        keyLength = Arrays.copyOf(keyLength, capacity);
        from = Arrays.copyOf(from, capacity);
        to = Arrays.copyOf(to, capacity);
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
        return last;
    }

    @Override
    public byte @Nullable [] key(int i) {
        return keyLength[i] < 0 ? null : Arrays.copyOfRange(data[i], keyFrom[i], keyFrom[i] + keyLength[i]);
    }

    @Override
    public long timestampMs(int i) {
        return timestampMs[i];
    }

    /** Not the one that names the compression, which is off. */
    @Override
    public List<RecordHeader> headers(int i) {
        return to[i] == headersTo[i] ? List.of() : cursor(i).allBut(codecHeader);
    }

    @Override
    public @Nullable String codec(int i) {
        byte[] name = codecHeader == null ? null : cursor(i).last(codecHeader);
        return name == null ? null : new String(name, StandardCharsets.UTF_8);
    }

    private HeaderCursor cursor(int i) {
        return new HeaderCursor(
                data[i], to[i], headersTo[i], () -> "the record at offset " + position[i] + " of " + partition);
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public byte[] data(int i) {
        return data[i];
    }

    @Override
    public int from(int i) {
        return from[i];
    }

    @Override
    public int to(int i) {
        return to[i];
    }

    @Override
    public long position(int i) {
        return position[i];
    }
}
