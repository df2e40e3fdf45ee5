package io.thalweg.jobs.kafka.fetch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.ByteUtils;
import org.jspecify.annotations.Nullable;

/**
 * The records that Kafka's own consumer returned, copied one after the other into windows.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
final class ConsumedRecords extends FetchedRecords {
    private static final int VARINT_BYTES = 5;

    private final Iterator<ConsumerRecord<byte[], byte[]>> records;
    private final LogPosition from;
    private final DecompressedBytes memory;
    private int leaderEpoch;
    private int end;

    /**
     * Creates a cursor before the first record.
     *
     * @param records of the partition
     * @param from the position before them
     * @param memory for the copies
     */
    ConsumedRecords(
            TopicPartition partition,
            List<ConsumerRecord<byte[], byte[]>> records,
            LogPosition from,
            DecompressedBytes memory) {
        super(partition);
        this.records = records.iterator();
        this.from = from;
        this.memory = memory;
        leaderEpoch = from.leaderEpoch();
    }

    @Override
    public boolean next() {
        if (!records.hasNext()) {
            goOnIn(new byte[0]);
            return false;
        }
        ConsumerRecord<byte[], byte[]> record = records.next();
        byte[] key = record.key();
        byte[] value = record.value();
        Header[] headers = record.headers().toArray();
        offset = record.offset();
        timestampMs = record.timestamp();
        leaderEpoch = record.leaderEpoch().orElse(leaderEpoch);
        keyLength = key == null ? -1 : key.length;
        valueLength = value == null ? -1 : value.length;
        int size = Math.max(0, keyLength) + Math.max(0, valueLength);
        int wanted = Math.addExact(size, sizeOf(headers));
        if (bytes.length - end < wanted) {
            goOnIn(memory.take(wanted));
            end = 0;
        }
        keyAt = end;
        valueAt = put(key, keyAt);
        headersAt = put(value, valueAt);
        headersEnd = put(headers, headersAt);
        end = headersEnd;
        return true;
    }

    private int put(byte @Nullable [] field, int at) {
        if (field == null) {
            return at;
        }
        System.arraycopy(field, 0, bytes, at, field.length);
        return at + field.length;
    }

    /** Writes headers as message format 2 does; none as no bytes. */
    private int put(Header[] headers, int at) {
        if (headers.length == 0) {
            return at;
        }
        ByteBuffer out = ByteBuffer.wrap(bytes, at, bytes.length - at);
        ByteUtils.writeVarint(headers.length, out);
        for (Header header : headers) {
            putHeader(header.key().getBytes(StandardCharsets.UTF_8), out);
            putHeader(header.value(), out);
        }
        return out.position();
    }

    private static void putHeader(byte @Nullable [] field, ByteBuffer out) {
        ByteUtils.writeVarint(field == null ? -1 : field.length, out);
        if (field != null) {
            out.put(field);
        }
    }

    private static int sizeOf(Header[] headers) {
        int most = headers.length == 0 ? 0 : VARINT_BYTES;
        for (Header header : headers) {
            // A character of UTF-16 has at most three bytes of UTF-8.
            int value = header.value() == null ? 0 : header.value().length;
            most = Math.addExact(most, 2 * VARINT_BYTES + 3 * header.key().length() + value);
        }
        return most;
    }

    @Override
    public LogPosition behind() {
        return from.at(offset + 1, leaderEpoch);
    }

    @Override
    String place() {
        return "the record at offset " + offset + " of " + topicPartition();
    }
}
