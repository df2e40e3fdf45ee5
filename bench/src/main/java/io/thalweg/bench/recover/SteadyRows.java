package io.thalweg.bench.recover;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.bench.harness.TopicTail;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Consumes the rows of the steady keys and records when the first row of each window end arrived. A row that arrives twice must
 * be identical.
 *
 * <p><b>Threads.</b> Reads on its own thread; any thread may query it.
 */
final class SteadyRows implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The rows of a window end.
     *
     * @param firstMs when the first row arrived, epoch ms
     * @param counts by key
     */
    private record End(long firstMs, Map<Long, Long> counts) {}

    private final ConcurrentSkipListMap<Long, End> ends = new ConcurrentSkipListMap<>();
    private final TopicTail records;
    private volatile String difference = "";

    SteadyRows(String bootstrap, String topic) {
        records = new TopicTail(bootstrap, topic, value -> take(JSON.readTree(value)));
    }

    private void take(JsonNode row) {
        JsonNode count = row.path("features").path("n_10s");
        if (count.isMissingNode()) {
            return; // the progress of a shard
        }
        long endMs = Instant.parse(row.path("window_end").asText()).toEpochMilli();
        long key = row.path("key").asLong();
        Long before = ends.computeIfAbsent(endMs, end -> new End(System.currentTimeMillis(), new ConcurrentHashMap<>()))
                .counts()
                .putIfAbsent(key, count.asLong());
        if (before != null && before != count.asLong()) {
            difference = "key %d has %d and %d events at %s"
                    .formatted(key, before, count.asLong(), Instant.ofEpochMilli(endMs));
        }
    }

    /** Returns when the first row of a later window end than this arrived, epoch ms; null if none has. */
    @Nullable
    Long arrivalAfterMs(long endMs) {
        Map.Entry<Long, End> next = ends.higherEntry(endMs);
        return next == null ? null : (Long) next.getValue().firstMs();
    }

    /**
     * Returns the last window end with rows; {@code Long.MIN_VALUE} if there is none.
     *
     * @throws IllegalStateException if reading the topic failed
     */
    long newestEndMs() {
        records.requireReading();
        Map.Entry<Long, End> last = ends.lastEntry();
        return last == null ? Long.MIN_VALUE : last.getKey();
    }

    /** Returns, by window end in a span, when its first row arrived, epoch ms. */
    Map<Long, Long> arrivals(long fromEndMs, long toEndMs) {
        Map<Long, Long> arrivals = new HashMap<>();
        ends.subMap(fromEndMs, toEndMs).forEach((end, rows) -> arrivals.put(end, rows.firstMs()));
        return arrivals;
    }

    /** Returns the number of events that the rows of a window end have counted. */
    long sum(long endMs) {
        End end = ends.get(endMs);
        return end == null
                ? 0
                : end.counts().values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Returns how rows that arrived twice differ; empty if they do not.
     *
     * @throws IllegalStateException if reading the topic failed
     */
    String difference() {
        records.requireReading();
        return difference;
    }

    @Override
    public void close() {
        records.close();
    }
}
