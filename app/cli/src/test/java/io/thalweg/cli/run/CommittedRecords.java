package io.thalweg.cli.run;

import java.time.Duration;
import java.util.ArrayList;
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

    /** Returns the records of a topic by partition, from the first one to the current end; none if the topic does not exist. */
    static Map<Integer, List<ConsumerRecord<byte[], byte[]>>> of(String bootstrap, String topic) {
        Map<Integer, List<ConsumerRecord<byte[], byte[]>>> records = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            if (!consumer.listTopics().containsKey(topic)) {
                return records;
            }
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    records.computeIfAbsent(record.partition(), p -> new ArrayList<>())
                            .add(record);
                }
            }
        }
        return records;
    }
}
