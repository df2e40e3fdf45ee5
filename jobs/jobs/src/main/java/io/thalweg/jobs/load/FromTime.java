package io.thalweg.jobs.load;

import java.util.Collection;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Starts a partition at its first record from a time on. If Kafka has deleted the offset of a checkpoint, it continues with the oldest
 * record, whereas Flink's own initializer for a time continues with the newest one.
 *
 * @param timestampMs epoch ms
 */
record FromTime(long timestampMs) implements OffsetsInitializer {
    @Override
    public Map<TopicPartition, Long> getPartitionOffsets(
            Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
        return OffsetsInitializer.timestamp(timestampMs).getPartitionOffsets(partitions, retriever);
    }

    @Override
    @SuppressWarnings("deprecation") // required by Flink's interface
    public OffsetResetStrategy getAutoOffsetResetStrategy() {
        return OffsetResetStrategy.EARLIEST;
    }
}
