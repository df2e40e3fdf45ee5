package io.thalweg.cli.run;

import io.thalweg.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the committed records of a topic. */
final class CommittedRecords {
    private static final Duration POLL = Duration.ofMillis(100);

    private CommittedRecords() {}

    /**
     * Returns the records of a topic by partition, from the first one to the current end; none if the topic does not exist. Waits until
     * the transactions before the end have ended: the broker confirms a commit before its records become visible.
     */
    static Map<Integer, List<ConsumerRecord<byte[], byte[]>>> of(String bootstrap, String topic) {
        Map<Integer, List<ConsumerRecord<byte[], byte[]>>> records = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrap, "read_committed")) {
            if (!consumer.listTopics().containsKey(topic)) {
                return records;
            }
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = ends(bootstrap, partitions);
            Await.until("the transactions of " + topic + " have ended", () -> {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    records.computeIfAbsent(record.partition(), p -> new ArrayList<>())
                            .add(record);
                }
                return partitions.stream().allMatch(each -> consumer.position(each) >= ends.getOrDefault(each, 0L));
            });
        }
        return records;
    }

    /** Returns the ends of partitions, including transactions that have not ended. */
    static Map<TopicPartition, Long> ends(String bootstrap, Collection<TopicPartition> partitions) {
        try (KafkaConsumer<byte[], byte[]> all = consumer(bootstrap, "read_uncommitted")) {
            return all.endOffsets(partitions);
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap, String isolation) {
        return new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }
}
