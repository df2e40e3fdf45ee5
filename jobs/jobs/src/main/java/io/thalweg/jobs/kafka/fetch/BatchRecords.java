package io.thalweg.jobs.kafka.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The records of batches, as brokers send them.
 *
 * <p>Batches are decompressed a window at a time. The record layout is that of Kafka's message format 2; older formats are read by
 * Kafka's client.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
public final class BatchRecords extends FetchedRecords {
    private static final int VARINT_BYTES = 5;

    private final Iterator<? extends RecordBatch> batches;
    private final AbortedTransactions aborted;
    private final LogPosition from;
    private final boolean checksums;
    private final BufferSupplier buffers;
    private final DecompressedBytes memory;

    private @Nullable RecordBatch batch;
    private @Nullable InputStream in;
    private @Nullable CloseableIterator<Record> older;
    private int remaining;
    private long baseOffset;
    /** Whether all records have the broker's append time. */
    private boolean appended;

    private long baseMs;
    private int at;
    private int end;

    /**
     * Creates a cursor before the first record.
     *
     * @param batches in the order of their offsets
     * @param aborted identifies the batches to skip
     * @param from records before it are skipped, because a batch is sent whole
     * @param checksums whether to verify checksums
     * @param buffers for the decompressors; not shared with other threads
     * @param memory for decompressed batches
     */
    public BatchRecords(
            TopicPartition partition,
            Iterator<? extends RecordBatch> batches,
            AbortedTransactions aborted,
            LogPosition from,
            boolean checksums,
            BufferSupplier buffers,
            DecompressedBytes memory) {
        super(partition);
        this.batches = batches;
        this.aborted = aborted;
        this.from = from;
        this.checksums = checksums;
        this.buffers = buffers;
        this.memory = memory;
    }

    @Override
    public boolean next() {
        while (true) {
            if (remaining == 0) {
                if (!nextBatch()) {
                    return false;
                }
            } else {
                remaining--;
                read();
                if (offset >= from.offset()) {
                    return true;
                }
            }
        }
    }

    @Override
    public LogPosition behind() {
        return from.at(offset + 1, Objects.requireNonNull(batch).partitionLeaderEpoch());
    }

    private boolean nextBatch() {
        closeBatch();
        while (batches.hasNext()) {
            RecordBatch next = batches.next();
            if (checksums) {
                next.ensureValid();
            }
            boolean passed = aborted.include(next) || next.isControlBatch() || next.lastOffset() < from.offset();
            if (!passed) {
                open(next);
                return true;
            }
        }
        goOnIn(new byte[0]);
        return false;
    }

    private void open(RecordBatch next) {
        batch = next;
        if (next instanceof DefaultRecordBatch current) {
            in = current.recordInputStream(buffers);
            remaining = current.countOrNull();
            baseOffset = current.baseOffset();
            appended = current.timestampType() == TimestampType.LOG_APPEND_TIME;
            baseMs = appended ? current.maxTimestamp() : current.baseTimestamp();
            at = end;
        } else {
            older = next.streamingIterator(buffers);
            remaining = older.hasNext() ? 1 : 0;
        }
    }

    private void closeBatch() {
        Utils.closeQuietly(in, "record stream");
        Utils.closeQuietly(older, "record iterator");
        in = null;
        older = null;
    }

    private void read() {
        CloseableIterator<Record> records = older;
        if (records != null) {
            readOlder(records.next());
            remaining = records.hasNext() ? 1 : 0;
            return;
        }
        have(VARINT_BYTES, false);
        int length = varint();
        if (length < 0) {
            throw corrupt("a record of " + length + " bytes");
        }
        have(length, true);
        int recordEnd = at + length;
        at++; // attributes, of which there are none
        long timestampDelta = varlong();
        offset = baseOffset + varint();
        timestampMs = appended ? baseMs : baseMs + timestampDelta;
        keyLength = length(recordEnd);
        keyAt = at;
        at += Math.max(0, keyLength);
        valueLength = length(recordEnd);
        valueAt = at;
        headersAt = at + Math.max(0, valueLength);
        headersEnd = recordEnd;
        at = recordEnd;
    }

    /** Reads the length of the field that follows; -1 if there is none. */
    private int length(int recordEnd) {
        int length = varint();
        if (length < -1 || length > recordEnd - at) {
            throw corrupt("a field of " + length + " bytes where " + (recordEnd - at) + " are left");
        }
        return length;
    }

    /** Copies a record of an older format, which has no headers. */
    private void readOlder(Record record) {
        offset = record.offset();
        timestampMs = record.timestamp();
        keyLength = record.keySize();
        valueLength = record.valueSize();
        keyAt = 0;
        valueAt = Math.max(0, keyLength);
        byte[] copy = new byte[valueAt + Math.max(0, valueLength)];
        ByteBuffer into = ByteBuffer.wrap(copy);
        if (record.hasKey()) {
            into.put(record.key());
        }
        if (record.hasValue()) {
            into.put(record.value());
        }
        goOnIn(copy);
        at = copy.length;
        end = copy.length;
        headersAt = copy.length;
        headersEnd = copy.length;
    }

    /** Makes the next bytes available from {@link #at} on: all {@code wanted} ones or, unless {@code sure}, those that are left. */
    private void have(int wanted, boolean sure) {
        if (end - at >= wanted) {
            return;
        }
        if (end == bytes.length || wanted > bytes.length - at) {
            byte[] window = memory.take(wanted);
            System.arraycopy(bytes, at, window, 0, end - at);
            goOnIn(window);
            end -= at;
            at = 0;
        }
        try {
            end += Objects.requireNonNull(in).readNBytes(bytes, end, bytes.length - end);
        } catch (IOException e) {
            throw new UncheckedIOException(place() + " cannot be decompressed: " + e.getMessage(), e);
        }
        if (sure && end - at < wanted) {
            throw corrupt("a batch that ends in the middle of a record");
        }
    }

    private int varint() {
        long value = varlong();
        if (value != (int) value) {
            throw corrupt("a length or delta of " + value);
        }
        return (int) value;
    }

    /** Reads a zigzag value of seven bits per byte, lowest first. Nearly all values take one or two bytes. */
    private long varlong() {
        int from = at;
        if (from + 2 <= end) {
            byte first = bytes[from];
            if (first >= 0) {
                at = from + 1;
                return unfolded(first);
            }
            byte second = bytes[from + 1];
            if (second >= 0) {
                at = from + 2;
                return unfolded((second << 7) | (first & 0x7F));
            }
        }
        return longVarlong();
    }

    private long longVarlong() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (at >= end) {
                throw corrupt("a batch that ends in the middle of a number");
            }
            byte next = bytes[at++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return unfolded(value);
            }
        }
        throw corrupt("a number of more than 64 bits");
    }

    private static long unfolded(long zigzag) {
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    @Override
    String place() {
        return "the batch at offset " + Objects.requireNonNull(batch).baseOffset() + " of " + topicPartition();
    }

    private CorruptRecordException corrupt(String what) {
        return new CorruptRecordException(place() + " is damaged: it has " + what);
    }
}
