package io.thalweg.devkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedKafkaTest {
    private static EmbeddedKafka kafka;

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.start();
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @Test
    void createTopic_thenProduce_isConsumed() throws Exception {
        kafka.createTopic("plain", 3, Map.of());
        produce(kafka, "plain", "a", "b");
        assertThat(consume(kafka, "plain", 2)).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void createTopic_twice_leavesItAsItIs() throws Exception {
        kafka.createTopic("twice", 1, Map.of());
        produce(kafka, "twice", "kept");
        kafka.createTopic("twice", 1, Map.of());
        assertThat(consume(kafka, "twice", 1)).containsExactly("kept");
    }

    @Test
    void createTopic_unknownSetting_namesIt() {
        assertThatThrownBy(() -> kafka.createTopic("odd", 1, Map.of("retention.hours", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("odd")
                .hasMessageContaining("retention.hours");
    }

    @Test
    void transaction_committedAndAborted_readCommittedSeesTheCommitted() throws Exception {
        kafka.createTopic("transactions", 1, Map.of());
        try (KafkaProducer<String, String> producer = producer(kafka, Map.of("transactional.id", "t1"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "aborted")).get();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "committed")).get();
            producer.commitTransaction();
        }
        produce(kafka, "transactions", "after");
        assertThat(consume(kafka, "transactions", 2)).containsExactly("committed", "after");
    }

    @Test
    void produce_timestampFarFromNow_isKept() throws Exception {
        kafka.createTopic("times", 1, Map.of());
        long past = 1_451_606_400_000L;
        long future = 4_000_000_000_000L;
        try (KafkaProducer<String, String> producer = producer(kafka, Map.of())) {
            producer.send(new ProducerRecord<>("times", null, past, null, "past"))
                    .get();
            producer.send(new ProducerRecord<>("times", null, future, null, "future"))
                    .get();
        }
        assertThat(consume(kafka, "times", 2)).containsExactly("past", "future");
    }

    @Test
    void produce_topicMissing_isRefused() {
        try (KafkaProducer<String, String> producer = producer(kafka, Map.of("max.block.ms", "500"))) {
            assertThatThrownBy(() ->
                            producer.send(new ProducerRecord<>("missing", "x")).get())
                    .hasMessageContaining("missing");
        }
    }

    @Test
    void start_againOnTheSameFolderAndPort_keepsData(@TempDir Path dir) throws Exception {
        int port;
        try (EmbeddedKafka first = EmbeddedKafka.start(dir, 0)) {
            port = first.port();
            first.createTopic("kept", 2, Map.of());
            produce(first, "kept", "before");
        }
        try (EmbeddedKafka second = EmbeddedKafka.start(dir, port)) {
            produce(second, "kept", "after");
            assertThat(second.bootstrap()).endsWith(":" + port);
            assertThat(consume(second, "kept", 2)).containsExactlyInAnyOrder("before", "after");
        }
    }

    @Test
    void start_portBusy_saysSo(@TempDir Path dir) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedKafka.start(dir, taken.getLocalPort()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("another port");
        }
    }

    private static KafkaProducer<String, String> producer(EmbeddedKafka kafka, Map<String, String> more) {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", kafka.bootstrap());
        return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    }

    private static void produce(EmbeddedKafka kafka, String topic, String... values) throws Exception {
        try (KafkaProducer<String, String> producer = producer(kafka, Map.of())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(topic, value, value)).get();
            }
        }
    }

    private static List<String> consume(EmbeddedKafka kafka, String topic, int count) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                kafka.bootstrap(),
                "group.id",
                "readers-of-" + topic,
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            Await.until(count + " records of " + topic, () -> {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
                return values.size() >= count;
            });
        }
        return values;
    }
}
