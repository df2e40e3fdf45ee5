package io.thalweg.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.RecordOrigin;
import io.thalweg.formats.file.TypedFiles;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.console.DeadLetterTail;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Reads the newest records of the topics of dead letters. Each call opens a consumer of its own. */
final class KafkaDeadLetterTail implements DeadLetterTail {
    /** The most letters to read, of all views that share the topic: a letter may take a megabyte. */
    private static final int TAIL = 500;

    /** The most characters of an event's text in a list of letters. */
    private static final int RAW_KEPT = 8_192;

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final DeploymentConfig deploymentConfig;

    /** Creates a tail of the topics in a deployment's clusters. */
    KafkaDeadLetterTail(DeploymentConfig deploymentConfig) {
        this.deploymentConfig = deploymentConfig;
    }

    private Map<String, String> cluster(FeatureView view) throws IOException {
        try {
            return KafkaClusters.required(deploymentConfig, view.source().kafka());
        } catch (UserError e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public List<Letter> latest(FeatureView view, @Nullable String reason, int limit) throws IOException {
        List<Letter> letters = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(cluster(view))) {
            Map<TopicPartition, Long> ends = seekToTail(consumer, view.deadLetterTopic());
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!isRead(consumer, ends)) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    letter(view, record)
                            .filter(letter -> reason == null || reason.equals(text(letter, "reason")))
                            .map(KafkaDeadLetterTail::cut)
                            .ifPresent(letters::add);
                }
                if (System.nanoTime() > deadline) {
                    throw new IOException("the end of topic %s was not read within %d s"
                            .formatted(view.deadLetterTopic(), PATIENCE.toSeconds()));
                }
            }
        } catch (KafkaException e) {
            throw failed(view, e);
        }
        letters.sort(Comparator.comparingLong(Letter::atMs)
                .thenComparing(Letter::offset)
                .reversed());
        return List.copyOf(letters.subList(0, Math.min(limit, letters.size())));
    }

    private static KafkaConsumer<byte[], byte[]> consumer(Map<String, String> cluster) {
        Map<String, Object> client = DeadLetterTopic.withoutGroup(cluster);
        client.put("default.api.timeout.ms", String.valueOf(PATIENCE.toMillis()));
        client.put("request.timeout.ms", String.valueOf(PATIENCE.toMillis()));
        return new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Seeks to the last records of all partitions and returns their end offsets; none if the topic does not exist. */
    private static Map<TopicPartition, Long> seekToTail(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        List<PartitionInfo> found = consumer.partitionsFor(topic);
        List<TopicPartition> partitions = found == null
                ? List.of()
                : found.stream()
                        .map(each -> new TopicPartition(topic, each.partition()))
                        .toList();
        consumer.assign(partitions);
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        ends.forEach((partition, end) -> consumer.seek(
                partition, Math.max(begins.getOrDefault(partition, 0L), end - Math.max(1, TAIL / partitions.size()))));
        return ends;
    }

    private static boolean isRead(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    /** Parses a letter; empty if it is of another view, or not a letter. */
    private static Optional<Letter> letter(FeatureView view, ConsumerRecord<byte[], byte[]> record) {
        JsonNode json = json(record.value());
        Letter letter = new Letter(record.partition(), record.offset(), record.timestamp(), json);
        return Optional.of(letter).filter(each -> view.qualifiedName().equals(text(each, "view")));
    }

    /** Truncates a long event, so that lists do not take much memory. */
    private static Letter cut(Letter letter) {
        String raw = text(letter, "raw");
        if (raw.length() > RAW_KEPT && letter.json() instanceof ObjectNode json) {
            json.put("raw", raw.substring(0, RAW_KEPT));
        }
        return letter;
    }

    private static JsonNode json(byte @Nullable [] value) {
        try {
            return value == null ? MissingNode.getInstance() : JSON.readTree(value);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private static String text(Letter letter, String name) {
        return letter.json().path(name).asText();
    }

    private static IOException failed(FeatureView view, KafkaException e) {
        return new IOException(
                "topic %s: %s; see kafka.%s in thalweg.yaml"
                        .formatted(
                                view.deadLetterTopic(),
                                e.getMessage(),
                                view.source().kafka()),
                e);
    }

    @Override
    public Optional<Judgement> judge(FeatureView view, int partition, long offset) throws IOException {
        Map<String, String> cluster = cluster(view);
        try (DeadLetterTopic.Records records = DeadLetterTopic.Records.of(cluster)) {
            ConsumerRecord<byte[], byte[]> record = records.fetch(view.deadLetterTopic(), partition, offset);
            Letter letter = record == null ? null : letter(view, record).orElse(null);
            return letter == null ? Optional.empty() : Optional.of(judge(view, letter, records));
        } catch (KafkaException e) {
            throw failed(view, e);
        }
    }

    private Judgement judge(FeatureView view, Letter letter, DeadLetterTopic.Records records) throws IOException {
        String source = text(letter, "source");
        if (!view.source().topics().contains(source)) {
            return new Judgement(
                    "unknown",
                    null,
                    "it is of " + source + ", which the view does not read: a row, or an older definition");
        }
        int partition = letter.json().path("partition").asInt(-1);
        long offset = letter.json().path("offset").asLong(-1);
        ConsumerRecord<byte[], byte[]> sent = records.fetch(source, partition, offset);
        if (sent != null) {
            return judge(view, source, sent.value(), new Sent(sent));
        }
        if (letter.json().path("truncated").asBoolean()) {
            return new Judgement(
                    "unknown", null, "Kafka has deleted the event, and the letter holds only the first part of it");
        }
        return judge(view, source, raw(letter), RecordOrigin.of(partition, offset));
    }

    private static byte[] raw(Letter letter) throws IOException {
        String raw = text(letter, "raw");
        try {
            return text(letter, "raw_encoding").equals("base64")
                    ? Base64.getDecoder().decode(raw)
                    : raw.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IOException("the letter's raw is not base64, as its raw_encoding says", e);
        }
    }

    private Judgement judge(FeatureView view, String source, byte[] event, RecordOrigin origin) {
        try (LookupTables tables = ConfiguredLookups.of(deploymentConfig).open("letters", List.of(view))) {
            EventVerdict verdict = BatchReader.of(List.of(view), tables, TypedFiles.NONE)
                    .judge(event, origin, source)
                    .get(0);
            DeadLetter bad = verdict.deadLetter();
            return new Judgement(
                    verdict.outcome().text(),
                    bad == null ? null : bad.reason().text(),
                    bad == null ? null : bad.detail());
        }
    }

    /** The record that contained an event. */
    private record Sent(ConsumerRecord<byte[], byte[]> sent) implements RecordOrigin {
        @Override
        public int partition() {
            return sent.partition();
        }

        @Override
        public long offset() {
            return sent.offset();
        }

        @Override
        public long timestampMs() {
            return sent.timestamp();
        }

        @Override
        public byte @Nullable [] key() {
            return sent.key();
        }

        @Override
        public byte @Nullable [] last(String name) {
            Header header = sent.headers().lastHeader(name);
            return header == null ? null : Objects.requireNonNullElse(header.value(), new byte[0]);
        }
    }
}
