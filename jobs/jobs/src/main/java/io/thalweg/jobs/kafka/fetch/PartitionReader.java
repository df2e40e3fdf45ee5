package io.thalweg.jobs.kafka.fetch;

import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads partitions of Kafka from given positions on. {@link BatchConsumer} reads whole batches; {@link StockConsumer} is Kafka's
 * own consumer, which is slower, as a fallback for clients or brokers that the former does not support.
 *
 * <p><b>Failures.</b> Temporary ones (a broker that is down, a leader that moved) are retried without limit. {@link #poll} throws
 * permanent ones: missing rights, damaged batches, and {@link LostPositionException} for records that are gone, after the brokers
 * have reported so for {@link #LOST_AFTER_MS}.
 *
 * <p><b>Threads.</b> Single-threaded, except for {@link #wakeup}.
 */
public interface PartitionReader extends AutoCloseable {
    /** How long brokers must consistently report records as lost. */
    long LOST_AFTER_MS = 5_000;

    /** The reason if the offset of a position is not in the log. */
    String DELETED_OR_LOST = "its records were deleted before they were read, or its brokers lost some";

    /**
     * Creates a reader without partitions.
     *
     * @param properties of a consumer, without deserializers; {@code auto.offset.reset} is always {@code none}
     * @param memory for decompressed batches
     * @throws org.apache.kafka.common.config.ConfigException if a setting is invalid
     */
    static PartitionReader create(Kafka.Reader kind, Properties properties, DecompressedBytes memory) {
        return switch (kind) {
            case BATCHES -> new BatchConsumer(properties, memory);
            case CONSUMER -> new StockConsumer(properties, memory);
        };
    }

    /** The partitions that are read, including paused ones. */
    Set<TopicPartition> assignment();

    /** Adds a partition to read from this position on. */
    void add(TopicPartition partition, LogPosition from);

    Set<TopicPartition> paused();

    /** Pauses these partitions and resumes all others. Records that were requested before may still arrive. */
    void pauseOnly(Set<TopicPartition> partitions);

    /** The position after everything that {@link #poll} has returned or skipped, such as transaction markers. */
    LogPosition position(TopicPartition partition);

    /**
     * Returns how many offsets lie between {@link #position} and the end of each partition, as brokers last reported it, summed over the
     * partitions. Transaction markers and compacted records count, too.
     */
    long lag();

    /** The partitions whose next offset, as the brokers currently report, is not in the log. */
    Set<TopicPartition> refused();

    /** Makes the {@link #poll} in progress, or the next one, return at once. */
    void wakeup();

    /**
     * Returns the records that have arrived, in offset order for each partition, to be read before the next poll.
     *
     * @param timeout how long to wait if there are none
     */
    List<FetchedRecords> poll(Duration timeout);

    @Override
    void close();
}
