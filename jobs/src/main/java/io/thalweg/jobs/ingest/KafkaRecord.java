package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.avro.AvroSchema;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A record of a topic; one without a value is empty.
 *
 * @param timeMs its timestamp, epoch ms; below 0 = it has none
 * @param codec the compression that a header of the record names; null if none does
 */
record KafkaRecord(
        String source,
        int partition,
        long offset,
        long timeMs,
        byte[] value,
        @Nullable String codec) implements RawRecords {
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
            out.collect(new KafkaRecord(
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    record.timestamp(),
                    value == null ? EMPTY : value,
                    codec(record)));
        }

        private @Nullable String codec(ConsumerRecord<byte[], byte[]> record) {
            Header header = codecHeader == null ? null : record.headers().lastHeader(codecHeader);
            return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
        }

        @Override
        public TypeInformation<RawRecords> getProducedType() {
            return RecordInput.TYPE;
        }
    }

    @Override
    public @Nullable AvroSchema writerSchema() {
        return null;
    }

    @Override
    public @Nullable String codec(int i) {
        return codec;
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
        return offset;
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
