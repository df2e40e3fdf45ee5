package io.thalweg.cli.run;

import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.kernel.naive.NaiveFeatures;
import io.thalweg.kernel.naive.NaiveRow;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowJson;
import io.thalweg.model.row.KeyedRowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import io.thalweg.verify.KeyedRecount;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A seeded sequence of rider events, sent to the partitions of a topic, and a plain recount of those sent so far. Most are
 * in order within a few seconds; some are late, some are bad.
 *
 * <p><b>Threads.</b> Safe to share.
 */
final class RiderFeed implements AutoCloseable {
    static final int PARTITIONS = 3;

    private static final long STEP_MS = 2_000;
    private static final int DISORDER_MS = 14_000;
    private static final int RIDERS = 300;
    private static final int PRODUCTS = 6;
    private static final long BEYOND_ALL_WINDOWS_MS = 600_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final Random random;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final List<List<String>> sent = new ArrayList<>();
    private final List<String> inOrder = new ArrayList<>();
    private long timeMs;

    RiderFeed(String bootstrap, String topic, long seed, long startMs) {
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer());
        this.topic = topic;
        this.random = new Random(seed);
        this.timeMs = startMs;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            sent.add(new ArrayList<>());
        }
    }

    /** Starts sending events at this rate. */
    void startSending(int perSecond) {
        var unused = clock.scheduleAtFixedRate(() -> send(1), 0, 1_000_000 / perSecond, TimeUnit.MICROSECONDS);
    }

    /** Stops what {@link #startSending} started, and waits until the last event is sent. */
    void stopSending() throws InterruptedException {
        clock.shutdown();
        if (!clock.awaitTermination(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Kafka does not take events");
        }
    }

    synchronized void send(int events) {
        for (int i = 0; i < events; i++) {
            int partition = next();
            send(partition, sent.get(partition).get(sent.get(partition).size() - 1));
        }
    }

    /** Skips events that the topic already contains, from a feed with the same seed and start. */
    synchronized void skip(int events) {
        for (int i = 0; i < events; i++) {
            next();
        }
    }

    private void add(int partition, String event) {
        sent.get(partition).add(event);
        inOrder.add(event);
    }

    /** Makes the next event; returns its partition. */
    private int next() {
        timeMs += STEP_MS;
        int partition = random.nextInt(PARTITIONS);
        add(partition, event(timeMs - random.nextInt(DISORDER_MS)));
        return partition;
    }

    /** Advances the clock of every partition until all windows have expired, with events that {@code where} skips. */
    synchronized void runOut() {
        timeMs += BEYOND_ALL_WINDOWS_MS;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            String marker = "{\"event_type\":\"marker\",\"ts\":%d}".formatted(timeMs);
            add(partition, marker);
            send(partition, marker);
        }
        producer.flush();
    }

    /** Sends a good event of the present to every partition, so that all their clocks are equal; returns the time, epoch ms. */
    synchronized long tick() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            String event = good(timeMs);
            add(partition, event);
            send(partition, event);
        }
        producer.flush();
        return timeMs;
    }

    private void send(int partition, String json) {
        var unused = producer.send(
                new ProducerRecord<>(topic, partition, timeMs, null, json.getBytes(StandardCharsets.UTF_8)),
                (done, failure) -> {
                    if (failure != null) {
                        throw new IllegalStateException("the test's own broker refused an event", failure);
                    }
                });
    }

    private String event(long ts) {
        if (random.nextInt(40) == 0) {
            return "{\"event_type\":\"request\",\"ts\":";
        }
        return good(ts);
    }

    private String good(long ts) {
        return String.format(
                Locale.ROOT,
                "{\"event_type\":\"%s\",\"rider_id\":\"%s\",\"product_id\":\"%s\",\"lat\":%.6f,\"lng\":%.6f,\"ts\":%d}",
                random.nextInt(4) == 0 ? "app_open" : "request",
                new UUID(7, random.nextInt(RIDERS)),
                new UUID(8, random.nextInt(PRODUCTS)),
                40.73 + random.nextGaussian() * 0.08,
                -73.99 + random.nextGaussian() * 0.08,
                ts);
    }

    /** Writes the events sent so far to a file, in the order in which they were sent. */
    synchronized void write(Path file) throws IOException {
        Files.write(file, inOrder);
    }

    /** Events sent so far. */
    synchronized long events() {
        return sent.stream().mapToLong(List::size).sum();
    }

    /** Returns the rows that a run without failures makes, as JSON lines. */
    synchronized List<String> rows(FeatureView view) throws IOException {
        return view.isKeyed() ? keyed(view) : withRings(view);
    }

    private List<String> keyed(FeatureView view) throws IOException {
        KeyedRecount recount = new KeyedRecount(view);
        judge(view, recount::add);
        KeyedRowJson json = new KeyedRowJson(view);
        List<String> rows = new ArrayList<>();
        recount.forEachRow(row -> rows.add(new String(json.value(row, 0), StandardCharsets.UTF_8)));
        return rows;
    }

    private List<String> withRings(FeatureView view) throws IOException {
        NaiveFeatures naive = new NaiveFeatures(
                view.cell().resolution(),
                view.rings().stream().mapToInt(Integer::intValue).toArray(),
                view.windows().panes());
        Map<String, List<Object>> groups = new HashMap<>();
        long every = view.windows().every().millis();
        judge(view, verdict -> {
            Long time = verdict.eventTimeMs();
            if (verdict.outcome() == EventOutcome.ACCEPTED && time != null) {
                String group = verdict.group().toString();
                groups.put(group, verdict.group());
                naive.add(verdict.cell(), group, Math.floorDiv(time, every), verdict.idHi(), verdict.idLo());
            }
        });
        HexRowJson json = new HexRowJson(view);
        return naive.rows().stream()
                .map(row -> line(json, view, row, groups.getOrDefault(row.group(), List.of())))
                .toList();
    }

    private static String line(HexRowJson json, FeatureView view, NaiveRow row, List<Object> group) {
        HexRowBlock block = new HexRowBlock(
                BlockHead.ofFinal(
                        view.qualifiedName(),
                        0,
                        row.end() * view.windows().every().millis()),
                0,
                group,
                new long[] {row.cell()},
                row.sums(),
                null);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        json.write(block, 0, line);
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Distinct riders of each cell, group and pane so far. */
    synchronized Map<Counted, Integer> counts(FeatureView view) throws IOException {
        Map<Counted, Set<List<Long>>> riders = new HashMap<>();
        long every = view.windows().every().millis();
        judge(view, verdict -> {
            Long time = verdict.eventTimeMs();
            if (verdict.outcome() == EventOutcome.ACCEPTED && time != null) {
                Counted of = new Counted(verdict.cell(), verdict.group(), Math.floorDiv(time, every));
                List<Long> id = view.isKeyed()
                        ? List.of(verdict.inputs()[0], verdict.inputs()[1])
                        : List.of(verdict.idHi(), verdict.idLo());
                riders.computeIfAbsent(of, key -> new HashSet<>()).add(id);
            }
        });
        Map<Counted, Integer> counts = new HashMap<>();
        riders.forEach((of, ids) -> counts.put(of, ids.size()));
        return counts;
    }

    /** The key of a count. */
    record Counted(long cell, List<Object> group, long pane) {}

    /** Events that are bad or late. */
    synchronized long deadLetters(FeatureView view) throws IOException {
        long[] dead = {0};
        judge(view, verdict -> {
            if (verdict.outcome() == EventOutcome.BAD || verdict.outcome() == EventOutcome.LATE) {
                dead[0]++;
            }
        });
        return dead[0];
    }

    private void judge(FeatureView view, Consumer<EventVerdict> verdicts) throws IOException {
        for (List<String> partition : sent) {
            byte[] lines = String.join("\n", partition).getBytes(StandardCharsets.UTF_8);
            BatchReader.of(List.of(view)).read(new ByteArrayInputStream(lines), topic, verdicts);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        producer.close();
    }
}
