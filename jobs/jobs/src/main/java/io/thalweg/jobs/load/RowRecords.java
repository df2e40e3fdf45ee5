package io.thalweg.jobs.load;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Forwards records undecoded. They are decoded where bad records can be reported. */
final class RowRecords implements KafkaRecordDeserializationSchema<RowRecord> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<RowRecord> out) {
        out.collect(new RowRecord(record.topic(), record.partition(), record.offset(), record.value()));
    }

    @Override
    public TypeInformation<RowRecord> getProducedType() {
        return RowRecord.TYPE;
    }
}
