package io.thalweg.jobs.kafka.fetch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads with {@link KafkaConsumer}, which creates an object for each record. It does not track topic ids, so it does not notice that
 * a topic was deleted and created again unless the position is out of range or of another epoch.
 *
 * <p><b>Threads.</b> Single-threaded, except for {@link #wakeup}.
 */
final class StockConsumer implements PartitionReader {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final DecompressedBytes memory;
    private final Map<TopicPartition, LogPosition> positions = new LinkedHashMap<>();
    private final Map<TopicPartition, Long> refusedSinceMs = new HashMap<>();

    /**
     * Creates a consumer without partitions.
     *
     * @param properties of a consumer, without deserializers
     * @param memory for the copies of records
     * @throws org.apache.kafka.common.config.ConfigException if a setting is invalid
     */
    StockConsumer(Properties properties, DecompressedBytes memory) {
        this.memory = memory;
        Properties all = new Properties();
        all.putAll(properties);
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        consumer = new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Set<TopicPartition> assignment() {
        return Set.copyOf(positions.keySet());
    }

    @Override
    public void add(TopicPartition partition, LogPosition from) {
        Set<TopicPartition> paused = consumer.paused();
        positions.put(partition, from);
        refusedSinceMs.remove(partition);
        consumer.assign(positions.keySet());
        consumer.pause(paused);
        Optional<Integer> epoch = from.isUnread() ? Optional.empty() : Optional.of(from.leaderEpoch());
        consumer.seek(partition, new OffsetAndMetadata(from.offset(), epoch, ""));
    }

    @Override
    public Set<TopicPartition> paused() {
        return consumer.paused();
    }

    @Override
    public void pauseOnly(Set<TopicPartition> partitions) {
        Set<TopicPartition> resumed = new HashSet<>(consumer.paused());
        resumed.removeAll(partitions);
        consumer.resume(resumed);
        Set<TopicPartition> assigned = new HashSet<>(partitions);
        assigned.retainAll(positions.keySet());
        consumer.pause(assigned);
    }

    @Override
    public LogPosition position(TopicPartition partition) {
        LogPosition position = positions.get(partition);
        if (position == null) {
            throw new IllegalArgumentException(partition + " is not read");
        }
        return position;
    }

    @Override
    public long lag() {
        return positions.keySet().stream()
                .mapToLong(partition -> consumer.currentLag(partition).orElse(0))
                .sum();
    }

    @Override
    public Set<TopicPartition> refused() {
        return refusedSinceMs.keySet();
    }

    @Override
    public void wakeup() {
        consumer.wakeup();
    }

    @Override
    public List<FetchedRecords> poll(Duration timeout) {
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = consumer.poll(timeout);
        } catch (WakeupException e) {
            return List.of();
        } catch (LogTruncationException e) {
            TopicPartition partition = e.partitions().iterator().next();
            throw new LostPositionException(
                    partition, position(partition), "its brokers lost records that had been read");
        } catch (OffsetOutOfRangeException e) {
            refuse(e);
            return List.of();
        }
        refusedSinceMs.keySet().removeAll(records.partitions());
        List<FetchedRecords> fetched = new ArrayList<>();
        for (TopicPartition partition : records.partitions()) {
            fetched.add(new ConsumedRecords(partition, records.records(partition), position(partition), memory));
        }
        // The next position is after the last record if a transaction marker follows it.
        records.nextOffsets().forEach((partition, next) -> {
            LogPosition before = positions.get(partition);
            if (before != null && next.offset() >= before.offset()) {
                positions.put(
                        partition, before.at(next.offset(), next.leaderEpoch().orElse(before.leaderEpoch())));
            }
        });
        return fetched;
    }

    private void refuse(OffsetOutOfRangeException refused) {
        long nowMs = System.currentTimeMillis();
        for (TopicPartition partition : refused.partitions()) {
            if (nowMs - refusedSinceMs.computeIfAbsent(partition, since -> nowMs) >= LOST_AFTER_MS) {
                throw new LostPositionException(partition, position(partition), DELETED_OR_LOST);
            }
        }
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
    }
}
