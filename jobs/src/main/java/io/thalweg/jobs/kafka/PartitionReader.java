package io.thalweg.jobs.kafka;

import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads partitions of Kafka from given positions on. {@link BatchConsumer} reads whole batches; {@link StockConsumer} is Kafka's
 * own consumer, slower, for when a client or broker does something that the former does not understand.
 *
 * <p><b>Failures.</b> Temporary ones (a broker that is down, a leader that moved) are retried without limit. {@link #poll} throws
 * permanent ones: {@link LostPositionException} for records that are gone, {@link
 * org.apache.kafka.clients.consumer.OffsetOutOfRangeException} for a first position that is gone, missing rights, damaged batches.
 *
 * <p><b>Threads.</b> One, except for {@link #wakeup}.
 */
interface PartitionReader extends AutoCloseable {
    /**
     * A reader without partitions.
     *
     * @param properties of a consumer, without deserializers; {@code auto.offset.reset} is always {@code none}
     * @param memory for decompressed batches
     * @throws org.apache.kafka.common.config.ConfigException if a setting is invalid
     */
    static PartitionReader create(Kafka.Reader kind, Properties properties, DecompressedBytes memory) {
        return switch (kind) {
            case BATCHES -> new BatchConsumer(properties, memory);
            case CONSUMER -> new StockConsumer(properties);
        };
    }

    /** The partitions that are read, including paused ones. */
    Set<TopicPartition> assignment();

    /** Reads a partition from there on. */
    void add(TopicPartition partition, LogPosition from);

    Set<TopicPartition> paused();

    /** Pauses these partitions and resumes all others. Records that were requested before may still arrive. */
    void pauseOnly(Set<TopicPartition> partitions);

    /** The position behind everything that {@link #poll} has returned or skipped, such as transaction markers. */
    LogPosition position(TopicPartition partition);

    /** Makes the {@link #poll} in progress, or the next one, return at once. */
    void wakeup();

    /**
     * Returns the records that have arrived, in offset order for each partition, to be read before the next poll.
     *
     * @param timeout how long to wait if there are none
     */
    List<? extends RecordCursor> poll(Duration timeout);

    @Override
    void close();
}
