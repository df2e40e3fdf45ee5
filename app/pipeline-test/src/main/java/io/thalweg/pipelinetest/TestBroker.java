package io.thalweg.pipelinetest;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.pipelinetest.PublishTest.TopicRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka broker of a session: Kafka itself, in this process, on the loopback address. It starts when the first topic is
 * created.
 *
 * <p><b>Threads.</b> One at a time.
 */
class TestBroker implements AutoCloseable {
    private static final int PARTITIONS = 2;
    private static final Map<String, String> READ_COMMITTED = Map.of("isolation.level", "read_committed");
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration ENDED = Duration.ofMinutes(1);
    private static final long SETTLE_LOOK_MS = 20;
    private static final int SETTLED_LOOKS = 5;
    private static final int MOST_LOOKS = 100;

    private @Nullable EmbeddedKafka kafka;
    private int topics;

    private EmbeddedKafka kafka() {
        EmbeddedKafka known = kafka;
        if (known == null) {
            known = EmbeddedKafka.start();
            kafka = known;
        }
        return known;
    }

    /** Creates a topic with a unique name. */
    String newTopic(String purpose) {
        String name = "%s-%d".formatted(purpose, topics++);
        kafka().createTopic(name, PARTITIONS, Map.of());
        return name;
    }

    /** Creates a topic unless it exists. */
    void ensureTopic(String name) {
        kafka().createTopic(name, PARTITIONS, Map.of());
    }

    /** The client properties that reach the broker. */
    Map<String, String> properties() {
        return Map.of("bootstrap.servers", kafka().bootstrap());
    }

    /** The same for clusters of these names. */
    Map<String, Map<String, String>> clusters(String... names) {
        return Stream.of(names).distinct().collect(Collectors.toMap(name -> name, name -> properties()));
    }

    /** Writes records to the first partition of a topic, in order, and waits until they are acknowledged. */
    void write(String topic, List<TopicRecord> records) throws InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                new HashMap<>(properties()), new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent = records.stream()
                    .map(record ->
                            producer.send(new ProducerRecord<>(topic, 0, record.timestampMs(), null, record.value())))
                    .toList();
            producer.flush();
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("the broker of this process refuses a record of " + topic, e.getCause());
        }
    }

    /** Whether a topic contains a record with this UTF-8 text in it. */
    boolean holds(String topic, String text) {
        return committed(topic).stream().anyMatch(value -> new String(value, StandardCharsets.UTF_8).contains(text));
    }

    /** Returns the values in a topic, without those of uncommitted transactions, in the order of each partition. */
    List<byte[]> committed(String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(READ_COMMITTED)) {
            return values(consumer, topic, ends(consumer, topic));
        }
    }

    /**
     * Returns the values in a topic when all of its transactions have ended, as {@link #committed} does. The broker confirms a commit
     * before the records become visible, so they may be missing for a moment after the job has ended.
     *
     * @throws IllegalStateException if a transaction is still open a minute after the last record
     */
    List<byte[]> committedAtTheEnd(String topic) {
        try (KafkaConsumer<byte[], byte[]> all = consumer(Map.of());
                KafkaConsumer<byte[], byte[]> consumer = consumer(READ_COMMITTED)) {
            return values(consumer, topic, ends(all, topic));
        }
    }

    private static List<byte[]> values(
            KafkaConsumer<byte[], byte[]> consumer, String topic, Map<TopicPartition, Long> ends) {
        List<byte[]> values = new ArrayList<>();
        consumer.assign(ends.keySet());
        consumer.seekToBeginning(ends.keySet());
        long until = System.nanoTime() + ENDED.toNanos();
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            int before = values.size();
            consumer.poll(POLL).forEach(record -> values.add(record.value()));
            if (values.size() > before) {
                until = System.nanoTime() + ENDED.toNanos(); // a large topic takes its time
            } else if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("a transaction of topic " + topic + " is open");
            }
        }
        return values;
    }

    /** Waits until no more records arrive in a topic, committed or not, for at most 2 seconds. */
    void settle(String topic) throws InterruptedException {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(Map.of())) {
            Map<TopicPartition, Long> before = ends(consumer, topic);
            int same = 0;
            for (int look = 0; look < MOST_LOOKS && same < SETTLED_LOOKS; look++) {
                Thread.sleep(SETTLE_LOOK_MS);
                Map<TopicPartition, Long> now = ends(consumer, topic);
                same = now.equals(before) ? same + 1 : 0;
                before = now;
            }
        }
    }

    private static Map<TopicPartition, Long> ends(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        return consumer.endOffsets(consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList());
    }

    private KafkaConsumer<byte[], byte[]> consumer(Map<String, String> more) {
        Map<String, Object> properties = new HashMap<>(properties());
        properties.putAll(more);
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Stops the broker and removes its data. */
    @Override
    public void close() {
        EmbeddedKafka known = kafka;
        if (known != null) {
            known.close();
        }
    }
}
