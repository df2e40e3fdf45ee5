package io.thalweg.jobs.sink;

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
        return new ProducerRecord<>(topic, partition, record.timestampMs(), record.key(), record.value());
    }
}
