package io.thalweg.jobs.sink;

import io.thalweg.formats.file.RecordHeader;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Sends a record to the partition of its shard. */
public record ByShard(String topic) implements KafkaRecordSerializationSchema<KafkaRecord> {
    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            KafkaRecord record, KafkaSinkContext context, @Nullable Long timestamp) {
        int[] partitions = context.getPartitionsForTopic(topic);
        Integer partition = record.shard() < 0 ? null : partitions[record.shard() % partitions.length];
        Long timestampMs = record.timestampMs() < 0 ? null : record.timestampMs();
        ProducerRecord<byte[], byte[]> sent =
                new ProducerRecord<>(topic, partition, timestampMs, record.key(), record.value());
        for (RecordHeader header : record.headers()) {
            sent.headers().add(header.name(), header.value());
        }
        return sent;
    }
}
