package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A record of a topic.
 *
 * @param value empty if the record has none
 * @param codecHeader the header in which a record names its compression; null = records do not
 */
record KafkaRecord(
        ConsumerRecord<byte[], byte[]> record,
        byte[] value,
        @Nullable String codecHeader) implements RawRecords {
    private static final byte[] EMPTY = {};

    /** Forwards records as they are: they are read where a bad one can be reported. */
    static final class Undecoded implements KafkaRecordDeserializationSchema<RawRecords> {
        private static final long serialVersionUID = 1L;

        private final @Nullable String codecHeader;

        /**
         * Prepares to forward records.
         *
         * @param codecHeader the header in which a record names its compression; null = records do not
         */
        Undecoded(@Nullable String codecHeader) {
            this.codecHeader = codecHeader;
        }

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<RawRecords> out) {
            byte[] value = record.value();
            out.collect(new KafkaRecord(record, value == null ? EMPTY : value, codecHeader));
        }

        @Override
        public TypeInformation<RawRecords> getProducedType() {
            return RecordInput.TYPE;
        }
    }

    @Override
    public String source() {
        return record.topic();
    }

    @Override
    public int partition() {
        return record.partition();
    }

    @Override
    public byte @Nullable [] key(int i) {
        return record.key();
    }

    @Override
    public long timestampMs(int i) {
        return record.timestamp();
    }

    /** Not the one that names the compression, which is off. */
    @Override
    public List<RecordHeader> headers(int i) {
        List<RecordHeader> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            if (!header.key().equals(codecHeader)) {
                headers.add(new RecordHeader(header.key(), header.value()));
            }
        }
        return headers;
    }

    @Override
    public @Nullable AvroSchema writerSchema() {
        return null;
    }

    @Override
    public @Nullable String codec(int i) {
        Header header = codecHeader == null ? null : record.headers().lastHeader(codecHeader);
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    public long bytes() {
        return value.length;
    }

    @Override
    public byte[] data(int i) {
        return value;
    }

    @Override
    public int from(int i) {
        return 0;
    }

    @Override
    public int to(int i) {
        return value.length;
    }

    @Override
    public long total(int i) {
        return value.length;
    }

    @Override
    public long position(int i) {
        return record.offset();
    }

    @Override
    public long objects(int i) {
        return 1;
    }

    @Override
    public @Nullable BadRecordException damage(int i) {
        return null;
    }
}
