package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.formats.BadReason;
import io.thalweg.formats.DeadLetter;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.console.DeadLetterTail.Judgement;
import io.thalweg.server.console.DeadLetterTail.Letter;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The letters of the demo's views in a real broker. */
@Tag("test")
class KafkaDeadLetterTailIT {
    private static final String GOOD = """
            {"event_type":"request","rider_id":"6f1ced3a-29dd-5f76-95f3-b65da5cbbdbe","product_id":"17a2b60c-29dd-5f76-95f3-b65da5cbbdbe",\
            "lat":40.75,"lng":-73.98,"ts":1767290400000}""";

    @TempDir
    private static Path folder;

    private static EmbeddedKafka kafka;
    private static KafkaProducer<byte[], byte[]> producer;
    private static FeatureView demand;
    private static FeatureView supply;
    private static KafkaDeadLetterTail tail;

    @BeforeAll
    static void start() throws Exception {
        kafka = EmbeddedKafka.start(folder, 0);
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
        demand = Demo.views().get(0);
        supply = Demo.views().get(1);
        kafka.createTopic(demand.source().topics().get(0), 1, Map.of());
        kafka.createTopic(demand.deadLetterTopic(), 2, Map.of());
        tail = tail("kafka: {default: {bootstrap: \"" + kafka.bootstrap() + "\"}}");
    }

    private static KafkaDeadLetterTail tail(String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("thalweg.yaml"), yaml);
        return new KafkaDeadLetterTail(DeploymentConfig.load(file, Map.of()));
    }

    @AfterAll
    static void stop() {
        producer.close();
        kafka.close();
    }

    private static long send(String topic, int partition, byte[] value) throws Exception {
        return producer.send(new ProducerRecord<>(topic, partition, null, value))
                .get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .offset();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long letter(String view, BadReason reason, String source, long offset, String raw, boolean truncated)
            throws Exception {
        DeadLetter letter =
                new DeadLetter(view, reason, "detail", source, 0, offset, null, raw, true, raw.length(), truncated);
        return send(demand.deadLetterTopic(), (int) (offset % 2), letter.toJson());
    }

    @Test
    void latest_ofATopicThatViewsShare_areThoseOfTheViewNewestFirst() throws Exception {
        String source = demand.source().topics().get(0);
        for (int i = 0; i < 10; i++) {
            letter("latest", i % 2 == 0 ? BadReason.LATE : BadReason.UNDECODABLE, source, 100 + i, "raw " + i, false);
            letter("another", BadReason.LATE, source, 100 + i, "raw " + i, false);
        }
        send(demand.deadLetterTopic(), 0, bytes("no JSON"));
        letter("latest", BadReason.TOO_LARGE, source, 110, "x".repeat(200_000), false);
        FeatureView latest = named("latest");
        List<Letter> letters = tail.latest(latest, null, 200);
        assertThat(letters).hasSize(11);
        assertThat(letters)
                .filteredOn(each -> each.json().path("raw_bytes").asInt() == 200_000)
                .singleElement()
                .satisfies(each -> assertThat(each.json().path("raw").asText()).hasSize(8_192));
        assertThat(letters).isSortedAccordingTo((a, b) -> Long.compare(b.atMs(), a.atMs()));
        assertThat(tail.latest(latest, "late", 3))
                .hasSize(3)
                .allSatisfy(
                        each -> assertThat(each.json().path("reason").asText()).isEqualTo("late"));
        assertThat(tail.latest(supply, null, 200)).isEmpty();
    }

    private static FeatureView named(String name) throws IOException {
        String yaml = Files.readString(Checkout.file("examples/demand.yaml")).replace("name: demand", "name: " + name);
        return Definitions.parse(yaml, name).views().get(0);
    }

    @Test
    void judge_event_isJudgedByTheRecordElseByTheLetter() throws Exception {
        String source = demand.source().topics().get(0);
        long sent = send(source, 0, bytes(GOOD));
        long late = letter("demand", BadReason.LATE, source, sent, "not what the topic has", false);
        assertThat(tail.judge(demand, (int) (sent % 2), late)).contains(new Judgement("accepted", null, null));

        long gone = letter("demand", BadReason.UNDECODABLE, source, 1_000_000, "{", false);
        assertThat(tail.judge(demand, 0, gone)).hasValueSatisfying(bad -> {
            assertThat(bad.outcome()).isEqualTo("bad");
            assertThat(bad.reason()).isEqualTo("undecodable");
        });
        long cut = letter("demand", BadReason.UNDECODABLE, source, 1_000_000, "{", true);
        assertThat(tail.judge(demand, 0, cut))
                .hasValueSatisfying(cutOff -> assertThat(cutOff.outcome()).isEqualTo("unknown"));
        long row = letter("demand", BadReason.UNDECODABLE, "demand-rows", 0, "{}", false);
        assertThat(tail.judge(demand, 0, row))
                .hasValueSatisfying(other -> assertThat(other.detail()).contains("demand-rows"));
        assertThat(tail.judge(supply, 0, row)).as("of another view").isEmpty();
        assertThat(tail.judge(demand, 0, 1_000_000)).isEmpty();
    }

    @Test
    void latest_clusterUnknown_saysWhatToLookAt() throws Exception {
        assertThatThrownBy(() ->
                        tail("kafka: {other: {bootstrap: \"127.0.0.1:9\"}}").latest(demand, null, 10))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("kafka.default is not in thalweg.yaml");
    }
}
