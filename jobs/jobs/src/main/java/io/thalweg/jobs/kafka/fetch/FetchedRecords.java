package io.thalweg.jobs.kafka.fetch;

import io.thalweg.formats.RecordOrigin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the records of one partition that arrived together, initially before the first. It does not create an object for each
 * record.
 *
 * <p>A record is a range of an array: key, value, and headers in the layout of Kafka's message format 2. The array is not overwritten
 * before it was {@link #left} and given back to its {@link DecompressedBytes}, so until then a value may be kept as a range of {@link
 * #bytes}.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
public abstract class FetchedRecords implements RecordOrigin {
    private final TopicPartition partition;
    private List<byte[]> left = new ArrayList<>();

    byte[] bytes = {};
    long offset;
    long timestampMs;
    int keyAt;
    int keyLength;
    int valueAt;
    int valueLength;
    int headersAt;
    int headersEnd;

    FetchedRecords(TopicPartition partition) {
        this.partition = partition;
    }

    /**
     * Moves to the next record; false at the end.
     *
     * @throws org.apache.kafka.common.errors.CorruptRecordException if a batch is damaged; the message names partition and offset
     */
    public abstract boolean next();

    /** The position after the current record. */
    public abstract LogPosition behind();

    /** Describes where the current record is, for errors. */
    abstract String place();

    public final TopicPartition topicPartition() {
        return partition;
    }

    @Override
    public final int partition() {
        return partition.partition();
    }

    @Override
    public final long offset() {
        return offset;
    }

    /** The producer's timestamp or the broker's append time, as the topic is configured; epoch ms, -1 if there is none. */
    @Override
    public final long timestampMs() {
        return timestampMs;
    }

    /** A copy of the key; null if there is none. */
    @Override
    public final byte @Nullable [] key() {
        return keyLength < 0 ? null : Arrays.copyOfRange(bytes, keyAt, keyAt + keyLength);
    }

    /** The array that holds the current record: key, value and headers. */
    public final byte[] bytes() {
        return bytes;
    }

    public final int keyAt() {
        return keyAt;
    }

    /** -1 for a record without a key. */
    public final int keyLength() {
        return keyLength;
    }

    public final int valueAt() {
        return valueAt;
    }

    /** -1 for a record without a value. */
    public final int valueLength() {
        return valueLength;
    }

    /** The start of the headers, in the layout that {@link HeaderCursor} reads. */
    public final int headersAt() {
        return headersAt;
    }

    public final int headersEnd() {
        return headersEnd;
    }

    /** The header of the current record. */
    @Override
    public final byte @Nullable [] last(String name) {
        return new HeaderCursor(bytes, headersAt, headersEnd, this::place).last(name);
    }

    /**
     * Returns the arrays that hold no further records, each once. They may be given back to their pool when all records read so far
     * are no longer needed.
     */
    public final List<byte[]> left() {
        List<byte[]> taken = left;
        left = new ArrayList<>();
        return taken;
    }

    /** Leaves the array of the current record for another one. */
    final void goOnIn(byte[] other) {
        left.add(bytes);
        bytes = other;
    }
}
