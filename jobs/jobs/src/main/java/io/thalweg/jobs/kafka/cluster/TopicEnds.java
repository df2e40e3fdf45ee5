package io.thalweg.jobs.kafka.cluster;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Finds the first and the last records of a topic. */
public final class TopicEnds {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private TopicEnds() {}

    /**
     * Returns the offset of the last committed record of each partition that has one. It is not the partition's end minus one, because
     * transaction markers and records of aborted transactions have offsets too.
     *
     * @param properties of the cluster, including {@code bootstrap.servers}
     * @param sinceMs record timestamp; partitions without a record since then are omitted
     * @throws org.apache.kafka.common.KafkaException if the broker does not answer
     */
    public static Map<Integer, Long> lastRecords(String topic, Map<String, String> properties, long sinceMs) {
        Properties client = new Properties();
        client.putAll(properties);
        client.remove("group.id");
        client.put("isolation.level", "read_committed");
        client.put("enable.auto.commit", "false");
        // A consumer fetches ahead, and a fetch past the last record would delay the fetch of the next partition by
        // half a
        // second.
        client.put("fetch.max.wait.ms", "1");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Map<TopicPartition, OffsetAndTimestamp> since = consumer.offsetsForTimes(
                    partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> sinceMs)));
            Map<Integer, Long> last = new HashMap<>();
            for (TopicPartition partition : partitions) {
                if (since.get(partition) == null) {
                    continue;
                }
                consumer.assign(List.of(partition));
                long offset = last(consumer, beginnings.getOrDefault(partition, 0L), ends.getOrDefault(partition, 0L));
                if (offset >= 0) {
                    last.put(partition.partition(), offset);
                }
            }
            return last;
        }
    }

    /**
     * Returns the first offset of each partition.
     *
     * @throws org.apache.kafka.common.KafkaException if the broker does not answer
     */
    public static Map<TopicPartition, Long> firsts(Properties properties, Set<TopicPartition> partitions) {
        Properties client = new Properties();
        client.putAll(properties);
        client.remove("group.id");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return consumer.beginningOffsets(partitions);
        }
    }

    /** Steps back from the end, twice as far each time, until it finds a record; -1 if there is none. */
    private static long last(KafkaConsumer<byte[], byte[]> consumer, long beginning, long end) {
        TopicPartition partition = consumer.assignment().iterator().next();
        long until = end;
        for (long step = 1; until > beginning; step *= 2) {
            long from = Math.max(beginning, until - step);
            consumer.seek(partition, from);
            long last = -1;
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (consumer.position(partition) < until) {
                if (System.nanoTime() > deadline) {
                    throw new TimeoutException("%s could not be read from offset %d to %d within %d s"
                            .formatted(partition, from, until, PATIENCE.toSeconds()));
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    last = record.offset() < until ? record.offset() : last;
                }
            }
            if (last >= 0) {
                return last;
            }
            until = from;
        }
        return -1;
    }
}
