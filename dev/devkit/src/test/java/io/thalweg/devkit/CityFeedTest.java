package io.thalweg.devkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.testing.Await;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CityFeedTest {
    private static final long FROM = 1_767_290_400_000L;
    private static final CityConfig CITY = CityConfig.defaults().withEventsPerSecond(100);

    private EmbeddedKafka kafka;

    @BeforeEach
    void start() {
        kafka = EmbeddedKafka.start();
    }

    @AfterEach
    void stop() {
        kafka.close();
    }

    @Test
    void backfillAndFollow_together_sendWhatTheSimulatorMakes() {
        CityFeed.createTopics(kafka, 64 << 20);
        List<String> expected = new ArrayList<>();
        new CitySimulator(CITY)
                .riderEvents(FROM, FROM + 20_000, (timeMs, id, json) -> expected.add(describe(timeMs, id, json)));
        try (CityFeed feed = new CityFeed(CITY, kafka.bootstrap())) {
            feed.backfill(FROM, FROM + 10_000);
            assertThat(feed.sent()).isEqualTo(1_000);
            feed.follow(FROM + 10_000, Clock.fixed(Instant.ofEpochMilli(FROM + 20_000), ZoneOffset.UTC));
            List<ConsumerRecord<String, String>> records = read(CityFeed.RIDER_TOPIC, expected.size());
            assertThat(feed.failure()).isNull();
            assertThat(records).allSatisfy(record -> assertThat(record.value()).contains("\"" + record.key() + "\""));
            assertThat(records.stream().map(ConsumerRecord::partition).distinct())
                    .hasSize(CityFeed.PARTITIONS);
            assertThat(records.stream().map(r -> r.timestamp() + r.key() + r.value()))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void backfill_topicMissing_failsWithItsName() {
        CityFeed feed = new CityFeed(CITY, kafka.bootstrap(), Map.of("max.block.ms", "300"));
        assertThatThrownBy(() -> feed.backfill(FROM, FROM + 1_000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(CityFeed.RIDER_TOPIC);
        assertThat(feed.failure()).isNotNull();
        assertThatThrownBy(feed::close).hasMessageContaining("cannot be sent");
    }

    private List<ConsumerRecord<String, String>> read(String topic, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrap(), "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(IntStream.range(0, CityFeed.PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(topic, partition))
                    .toList());
            Await.until(count + " records of " + topic, () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() >= count;
            });
        }
        return records;
    }

    private static String describe(long timeMs, byte[] id, byte[] json) {
        return timeMs + new String(id, StandardCharsets.UTF_8) + new String(json, StandardCharsets.UTF_8);
    }
}
