package io.thalweg.runner;

import io.thalweg.jobs.ingest.account.IngestJobAccount;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * How far an ingest is behind the end of its topic, looked up every few seconds on a thread of its own.
 *
 * <p><b>Threads.</b> Any may call.
 */
final class TopicLag implements AutoCloseable {
    private static final long LOOK_SECONDS = 5;
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final String topic;
    private final Properties properties = new Properties();
    private final IngestJobAccount counts;
    private final Thread thread = new Thread(this::run, "topic-lag");
    private volatile long records = -1;

    private TopicLag(String topic, Map<String, String> cluster, IngestJobAccount counts) {
        this.topic = topic;
        this.counts = counts;
        properties.putAll(cluster);
        properties.remove("group.id");
        properties.put("isolation.level", "read_committed");
    }

    /**
     * Starts the lookups.
     *
     * @param cluster client properties, {@code bootstrap.servers} among them
     */
    static TopicLag start(String topic, Map<String, String> cluster, IngestJobAccount counts) {
        TopicLag lag = new TopicLag(topic, cluster, counts);
        lag.thread.setDaemon(true);
        lag.thread.start();
        return lag;
    }

    /** Offsets between what was read and the end of all partitions; -1 while unknown. */
    long records() {
        return records;
    }

    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            while (!Thread.currentThread().isInterrupted()) {
                records = look(consumer);
                TimeUnit.SECONDS.sleep(LOOK_SECONDS);
            }
        } catch (InterruptedException | org.apache.kafka.common.errors.InterruptException e) {
            // Closed.
        }
    }

    private long look(KafkaConsumer<byte[], byte[]> consumer) {
        try {
            List<TopicPartition> partitions = consumer.partitionsFor(topic, ANSWER).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(partitions, ANSWER);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, ANSWER);
            return behind(partitions, beginnings, ends);
        } catch (KafkaException e) {
            return -1; // KafkaWatch reports the loss of brokers.
        }
    }

    private long behind(
            Collection<TopicPartition> partitions,
            Map<TopicPartition, Long> beginnings,
            Map<TopicPartition, Long> ends) {
        Map<Integer, Long> passed = counts.passed();
        long behind = 0;
        for (TopicPartition partition : partitions) {
            long beginning = beginnings.getOrDefault(partition, 0L);
            long next = Math.max(beginning, passed.getOrDefault(partition.partition(), -1L) + 1);
            behind += Math.max(0, ends.getOrDefault(partition, next) - next);
        }
        return behind;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
