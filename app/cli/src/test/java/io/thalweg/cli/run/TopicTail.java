package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Subprocess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A reader of a topic of JSON lines from its first record on, which remembers all that it read. For one thread. */
final class TopicTail implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(5);
    private static final Pattern CREATED = Pattern.compile(",\"created\":\"[^\"]*\"");
    private static final String PROGRESS = "\"progress\":{\"shard\"";
    private static final Pattern WINDOW_END = Pattern.compile("\"window_end\":\"([^\"]*)\"");

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<String> lines = new ArrayList<>();
    private final Map<Long, Set<String>> rows = new HashMap<>();
    private final Map<Long, Set<String>> shardsDone = new HashMap<>();
    private long newestEndMs = Long.MIN_VALUE;

    TopicTail(String bootstrap, String topic, String isolation) {
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation, "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(IntStream.range(0, RiderFeed.PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList());
    }

    /** Values without progress records, in the order of arrival, each without its creation time. */
    List<String> lines() {
        return lines;
    }

    /** End of the newest window that has a row. */
    long newestEndMs() {
        return newestEndMs;
    }

    /** Rows of a window end, each once. */
    int rowsAt(long endMs) {
        return rows.getOrDefault(endMs, Set.of()).size();
    }

    /** Shards that reported a window end as done. */
    int shardsDoneAt(long endMs) {
        return shardsDone.getOrDefault(endMs, Set.of()).size();
    }

    /** Reads until a condition holds or the time is over; returns whether it holds. */
    boolean readUntil(BooleanSupplier enough, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!enough.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            consumer.poll(POLL).forEach(this::take);
        }
        return true;
    }

    void readFor(Duration time) {
        readUntil(() -> false, time);
    }

    /** Reads until there are rows of a later window end than the topic has now. */
    void awaitNewEnd(Subprocess run, Duration timeout, long seed) {
        drain();
        long known = newestEndMs;
        assertThat(readUntil(() -> newestEndMs > known, timeout))
                .as(() -> "rows of a new window end, seed " + seed + "; " + String.join("\n", run.stderr()))
                .isTrue();
    }

    /** Reads the expected number of rows, and a second longer; requires exactly the expected rows, each once. */
    void assertExactly(List<String> expected, Duration timeout, long seed) {
        readUntil(() -> lines.size() >= expected.size(), timeout);
        readFor(Duration.ofSeconds(1));
        SameRows.assertSame("rows", lines, new HashSet<>(expected), seed);
        assertThat(lines).as("repeated, seed %d", seed).hasSameSizeAs(expected);
    }

    /** Reads to the current end of the topic. */
    void drain() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        readUntil(
                () -> ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue()),
                Duration.ofSeconds(20));
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        String line = CREATED.matcher(new String(record.value(), StandardCharsets.UTF_8))
                .replaceFirst("");
        Matcher end = WINDOW_END.matcher(line);
        long endMs = end.find() ? Instant.parse(end.group(1)).toEpochMilli() : Long.MIN_VALUE;
        if (line.contains(PROGRESS)) {
            shardsDone.computeIfAbsent(endMs, ms -> new HashSet<>()).add(line);
        } else {
            lines.add(line);
            newestEndMs = Math.max(newestEndMs, endMs);
            rows.computeIfAbsent(endMs, ms -> new HashSet<>()).add(line);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
