package io.thalweg.jobs.ingest.target;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import io.thalweg.jobs.sink.KafkaRecord;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.write.ByteRecordWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows as messages. The messages of a record keep its key, timestamp and headers. They are written to the partition whose number
 * is that of the record's partition modulo the number of partitions, which preserves the order within each partition.
 */
final class MessageTarget implements RowTarget<MessageBatch> {
    private final ByteRecordWriter encoder;
    private final byte[] header;
    private List<KafkaRecord> rows = new ArrayList<>();
    private int partition = RawRecords.NO_PARTITION;
    private byte @Nullable [] key;
    private long timestampMs = RawRecords.NO_TIME;
    private List<RecordHeader> headers = List.of();
    /** The number of rows of earlier messages. */
    private int earlier;

    /**
     * Creates a target.
     *
     * @param header precedes each message; not copied
     */
    MessageTarget(ByteRecordWriter encoder, byte[] header) {
        this.encoder = encoder;
        this.header = header;
    }

    @Override
    public void beginMessage(RawRecords records, int i, long index) {
        partition = records.partition();
        key = records.key(i);
        timestampMs = records.timestampMs(i);
        headers = records.headers(i);
        earlier = rows.size();
    }

    @Override
    public RecordWriter beginRow() {
        encoder.begin();
        return encoder;
    }

    @Override
    public void end() {
        encoder.end();
        int length = encoder.to() - encoder.from();
        byte[] value = Arrays.copyOf(header, header.length + length);
        System.arraycopy(encoder.data(), encoder.from(), value, header.length, length);
        rows.add(new KafkaRecord(partition, key, value, timestampMs, headers));
    }

    @Override
    public void rollback() {
        rows.subList(earlier, rows.size()).clear();
    }

    @Override
    public int rows() {
        return rows.size();
    }

    @Override
    public MessageBatch take() {
        MessageBatch taken = new MessageBatch(rows);
        rows = new ArrayList<>(rows.size());
        return taken;
    }
}
