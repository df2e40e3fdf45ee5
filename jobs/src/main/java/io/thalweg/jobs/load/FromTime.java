package io.thalweg.jobs.load;

import java.util.Collection;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Begins a partition with its first record from a time on. Where Kafka has deleted what a checkpoint names, it goes on with the
 * oldest that there is: Flink's own way of beginning at a time would pass over all of it, without a word.
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
    @SuppressWarnings("deprecation") // Flink's interface has it
    public OffsetResetStrategy getAutoOffsetResetStrategy() {
        return OffsetResetStrategy.EARLIEST;
    }
}
