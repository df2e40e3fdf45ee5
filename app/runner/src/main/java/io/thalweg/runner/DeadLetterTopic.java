package io.thalweg.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters in a topic. A consumer group records how far they were replayed. Letters that are left are appended to the topic in
 * the transaction that commits the group's offsets, so that exactly one copy of each is after the group's position.
 *
 * @param properties of the cluster
 * @param group the name of the consumer group, and of the transactions
 */
public record DeadLetterTopic(String topic, Map<String, String> properties, String group) implements DeadLetterSource {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();
    /** The longest transaction timeout that brokers allow by default. */
    private static final String TRANSACTION_MS = "900000";

    private static final String END = "end.";

    @Override
    public String text() {
        return "topic " + topic;
    }

    @Override
    public String leftText() {
        return text();
    }

    @Override
    public void requireWritable() {
        // The broker refuses records that it cannot write.
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Map<String, Object> client = new HashMap<>(properties);
        client.put("group.id", group);
        client.put("isolation.level", "read_committed");
        client.put("enable.auto.commit", "false");
        client.put("allow.auto.create.topics", "false");
        return new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public void read(Properties plan, Lines lines) throws IOException {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            Set<TopicPartition> partitions = partitions(consumer);
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Map<TopicPartition, OffsetAndMetadata> positions = consumer.committed(partitions);
            consumer.seekToBeginning(partitions);
            positions.forEach((partition, position) -> {
                if (position != null) {
                    consumer.seek(partition, position);
                }
            });
            read(consumer, ends, lines);
            ends.forEach((partition, end) -> plan.setProperty(END + partition.partition(), String.valueOf(end)));
        } catch (KafkaException e) {
            throw unreadable(e);
        }
    }

    private static void read(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Lines lines)
            throws IOException {
        Set<TopicPartition> left = new HashSet<>(ends.keySet());
        long progress = System.nanoTime();
        while (true) {
            left.removeIf(partition -> consumer.position(partition) >= Objects.requireNonNull(ends.get(partition)));
            if (left.isEmpty()) {
                return;
            }
            consumer.assign(left);
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                progress = System.nanoTime();
                long end = ends.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L);
                if (record.value() != null && record.offset() < end) {
                    lines.take(record.value(), 0, record.value().length);
                }
            }
            if (System.nanoTime() - progress > PATIENCE_NANOS) {
                throw new KafkaException("nothing was read for 60 s");
            }
        }
    }

    private Set<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer) {
        Set<TopicPartition> partitions = new HashSet<>();
        consumer.partitionsFor(topic)
                .forEach(partition -> partitions.add(new TopicPartition(topic, partition.partition())));
        if (partitions.isEmpty()) {
            throw UserError.failed(
                    "topic %s does not exist".formatted(topic), "name the topic or file of the letters with --letters");
        }
        return partitions;
    }

    private UserError unreadable(KafkaException e) {
        return UserError.failed(
                        "letters of topic %s cannot be read: %s".formatted(topic, e.getMessage()),
                        "is the broker reachable? See kafka in thalweg.yaml")
                .causedBy(e);
    }

    /** Letters of other ingests stay in the topic. */
    @Override
    public boolean isOwn() {
        return false;
    }

    @Override
    public boolean isFinished(Properties plan) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            Map<TopicPartition, Long> ends = ends(plan);
            Map<TopicPartition, OffsetAndMetadata> positions = consumer.committed(ends.keySet());
            return ends.entrySet().stream().allMatch(end -> {
                OffsetAndMetadata position = positions.get(end.getKey());
                return position != null && position.offset() >= end.getValue();
            });
        } catch (KafkaException e) {
            throw unreadable(e);
        }
    }

    private Map<TopicPartition, Long> ends(Properties plan) {
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (String name : plan.stringPropertyNames()) {
            if (name.startsWith(END)) {
                ends.put(
                        new TopicPartition(topic, Integer.parseInt(name.substring(END.length()))),
                        Long.valueOf(plan.getProperty(name)));
            }
        }
        return ends;
    }

    @Override
    public void finish(Properties plan, Path left) throws IOException {
        Map<String, Object> client = new HashMap<>(properties);
        client.put("transactional.id", group);
        client.put("transaction.timeout.ms", TRANSACTION_MS);
        try (KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer());
                KafkaConsumer<byte[], byte[]> consumer = consumer();
                BufferedReader lines = Files.newBufferedReader(left, StandardCharsets.UTF_8)) {
            producer.initTransactions();
            producer.beginTransaction();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                var unused = producer.send(new ProducerRecord<>(topic, line.getBytes(StandardCharsets.UTF_8)));
            }
            Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
            ends(plan).forEach((partition, end) -> positions.put(partition, new OffsetAndMetadata(end)));
            producer.sendOffsetsToTransaction(positions, consumer.groupMetadata());
            producer.commitTransaction();
        } catch (KafkaException e) {
            throw UserError.failed(
                            "the letters that are left cannot be written to topic %s: %s"
                                    .formatted(topic, e.getMessage()),
                            "the same command goes on from here")
                    .causedBy(e);
        }
    }

    /** Returns the properties of a consumer without a group, whose partitions and positions are assigned. */
    static Map<String, Object> withoutGroup(Map<String, String> cluster) {
        Map<String, Object> client = new HashMap<>(cluster);
        client.remove("group.id");
        client.put("isolation.level", "read_committed");
        client.put("enable.auto.commit", "false");
        client.put("allow.auto.create.topics", "false");
        client.put("auto.offset.reset", "none");
        return client;
    }

    /** Fetches the record of a letter again; null if the topic does not contain it any more. */
    record Records(KafkaConsumer<byte[], byte[]> consumer) implements AutoCloseable {
        static Records of(Map<String, String> properties) {
            Map<String, Object> client = withoutGroup(properties);
            client.put("max.poll.records", "1");
            return new Records(new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
        }

        @Nullable
        ConsumerRecord<byte[], byte[]> fetch(String topic, int partition, long offset) {
            TopicPartition from = new TopicPartition(topic, partition);
            if (consumer.partitionsFor(topic).stream().noneMatch(each -> each.partition() == partition)) {
                return null;
            }
            List<TopicPartition> one = List.of(from);
            long begin = consumer.beginningOffsets(one).getOrDefault(from, 0L);
            long end = consumer.endOffsets(one).getOrDefault(from, 0L);
            if (offset < begin || offset >= end) {
                return null;
            }
            consumer.assign(one);
            consumer.seek(from, offset);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (consumer.position(from) <= offset) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    return record.offset() == offset && record.value() != null ? record : null;
                }
                if (System.nanoTime() > deadline) {
                    throw new KafkaException("%s could not be read at offset %d within 60 s".formatted(from, offset));
                }
            }
            return null;
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
