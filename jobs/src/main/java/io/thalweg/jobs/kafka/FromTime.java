package io.thalweg.jobs.kafka;

import java.util.Collection;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Starts a partition at its first record from a time on. Flink's own way of beginning at a time continues with the newest record if
 * Kafka has deleted the offset of a checkpoint.
 *
 * @param timestampMs epoch ms
 * @param failsIfLost whether the reader fails if Kafka has deleted the next records; otherwise it continues with the oldest one
 */
record FromTime(long timestampMs, boolean failsIfLost) implements OffsetsInitializer {
    @Override
    public Map<TopicPartition, Long> getPartitionOffsets(
            Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
        return OffsetsInitializer.timestamp(timestampMs).getPartitionOffsets(partitions, retriever);
    }

    @Override
    @SuppressWarnings("deprecation") // required by Flink's interface
    public OffsetResetStrategy getAutoOffsetResetStrategy() {
        return failsIfLost ? OffsetResetStrategy.NONE : OffsetResetStrategy.EARLIEST;
    }
}
