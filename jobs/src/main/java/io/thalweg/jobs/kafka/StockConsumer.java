package io.thalweg.jobs.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads with {@link KafkaConsumer}, which makes an object of each record. It does not know topics by their ids, so it does not
 * notice that a topic was deleted and created again unless the position is out of range or of another epoch.
 *
 * <p><b>Threads.</b> One, except for {@link #wakeup}.
 */
final class StockConsumer implements PartitionReader {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, LogPosition> positions = new LinkedHashMap<>();

    /**
     * A consumer without partitions.
     *
     * @param properties of a consumer, without deserializers
     * @throws org.apache.kafka.common.config.ConfigException if a setting is invalid
     */
    StockConsumer(Properties properties) {
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
    public void wakeup() {
        consumer.wakeup();
    }

    @Override
    public List<RecordCursor> poll(Duration timeout) {
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = consumer.poll(timeout);
        } catch (WakeupException e) {
            return List.of();
        } catch (LogTruncationException e) {
            throw lost(e, "its brokers lost records that had been read");
        } catch (OffsetOutOfRangeException e) {
            throw lost(e, "its records were deleted before they were read, or its brokers lost some");
        }
        List<RecordCursor> cursors = new ArrayList<>();
        for (TopicPartition partition : records.partitions()) {
            cursors.add(new ConsumedRecords(partition, position(partition), records.records(partition)));
        }
        // The next position is after the last record if a transaction marker follows it.
        records.nextOffsets().forEach((partition, next) -> {
            LogPosition before = positions.get(partition);
            if (before != null && next.offset() >= before.offset()) {
                positions.put(
                        partition, before.at(next.offset(), next.leaderEpoch().orElse(before.leaderEpoch())));
            }
        });
        return cursors;
    }

    /** A first position may have been determined too long ago, which a restart of the job repairs. */
    private RuntimeException lost(OffsetOutOfRangeException refused, String what) {
        for (TopicPartition partition : refused.partitions()) {
            LogPosition position = position(partition);
            if (!position.isUnread()) {
                return new LostPositionException(partition, position, what);
            }
        }
        return refused;
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
    }

    /** The records of one partition and poll. */
    private static final class ConsumedRecords implements RecordCursor {
        private final TopicPartition partition;
        private final LogPosition from;
        private final List<ConsumerRecord<byte[], byte @Nullable []>> records;
        private int next;

        ConsumedRecords(
                TopicPartition partition, LogPosition from, List<ConsumerRecord<byte[], byte @Nullable []>> records) {
            this.partition = partition;
            this.from = from;
            this.records = records;
        }

        private ConsumerRecord<byte[], byte @Nullable []> current() {
            return records.get(next - 1);
        }

        @Override
        public TopicPartition topicPartition() {
            return partition;
        }

        @Override
        public boolean next() {
            if (next == records.size()) {
                return false;
            }
            next++;
            return true;
        }

        @Override
        public long offset() {
            return current().offset();
        }

        @Override
        public LogPosition behind() {
            return from.at(current().offset() + 1, current().leaderEpoch().orElse(from.leaderEpoch()));
        }

        @Override
        public long timestampMs() {
            return current().timestamp();
        }

        @Override
        public byte @Nullable [] key() {
            return current().key();
        }

        @Override
        public byte[] bytes() {
            byte[] value = current().value();
            return value == null ? new byte[0] : value;
        }

        @Override
        public int valueAt() {
            return 0;
        }

        @Override
        public int valueLength() {
            byte[] value = current().value();
            return value == null ? -1 : value.length;
        }

        @Override
        public List<byte[]> left() {
            return List.of();
        }

        @Override
        public byte @Nullable [] last(String name) {
            var header = current().headers().lastHeader(name);
            return header == null ? null : header.value();
        }
    }
}
