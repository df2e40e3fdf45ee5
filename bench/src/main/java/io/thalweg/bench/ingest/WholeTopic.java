package io.thalweg.bench.ingest;

import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Reads the committed records of a topic once, all partitions from their beginnings to their ends. <b>Threads.</b> One. */
final class WholeTopic implements Closeable {
    private static final Duration POLL = Duration.ofMillis(10);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, Long> ends;

    private WholeTopic(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        this.consumer = consumer;
        this.ends = ends;
    }

    /**
     * Opens a topic.
     *
     * @param ends the offset behind the last record of each partition that is read; null = the present ends
     */
    static WholeTopic open(String bootstrap, String topic, @Nullable Map<TopicPartition, Long> ends) {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "isolation.level",
                        "read_committed",
                        "enable.auto.commit",
                        "false",
                        "max.poll.records",
                        "5000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        try {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            return new WholeTopic(consumer, ends == null ? consumer.endOffsets(partitions) : ends);
        } catch (RuntimeException e) {
            consumer.close();
            throw e;
        }
    }

    /** Whether there may be more records. */
    boolean hasMore() {
        return ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue());
    }

    /** The next records; none if they take longer than a moment. */
    ConsumerRecords<byte[], byte[]> next() {
        return consumer.poll(POLL);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
