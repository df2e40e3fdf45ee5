package io.thalweg.bench.harness;

import java.io.Closeable;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the committed records of a topic, all partitions from the beginning. <b>Threads.</b> One at a time. */
public record TopicReader(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) implements Closeable {
    /** Opens a topic whose blocks may have some megabytes, to be read as it grows. */
    public static TopicReader ofBlocks(String bootstrap, String topic) {
        return open(bootstrap, topic, Map.of("max.partition.fetch.bytes", 8 << 20));
    }

    public static TopicReader open(String bootstrap, String topic) {
        return open(bootstrap, topic, Map.of());
    }

    private static TopicReader open(String bootstrap, String topic, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.putAll(Map.of(
                "bootstrap.servers", bootstrap,
                "isolation.level", "read_committed",
                "enable.auto.commit", "false",
                "max.poll.records", "5000"));
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            return new TopicReader(consumer, consumer.endOffsets(partitions));
        } catch (RuntimeException e) {
            consumer.close();
            throw e;
        }
    }

    /** Whether there may be more records before the ends that the partitions had when it was opened. */
    public boolean hasMore() {
        return ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue());
    }

    /** Returns the next records; none if there are none within this time. */
    public ConsumerRecords<byte[], byte[]> next(Duration atMost) {
        return consumer.poll(atMost);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
