package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A training set whose labels are reads equals what the server answered, bit for bit and status by status, across a restart with another
 * parallelism; so does the serving log; and a backfill finds the same rows. {@code -Dthalweg.seed=N} replays the events and the keys.
 */
@Tag("test")
class TrainingSetIT {
    private static final String SOURCE = """
            source:
              topic: trained
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 20s
              idle_after: 1h
            """;

    private static final String VIEWS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: cells
            %1$sentities:
              - {name: cell, h3: {lat: lat, lng: lng, resolution: 7}}
              - {name: product, field: product_id, type: uuid}
            measure: {count_distinct: rider_id, type: uuid}
            rings: [0, 1]
            windows: {sizes: [1m, 4m], every: 1m}
            online: {ttl: 1d}
            offline: true
            ---
            apiVersion: thalweg/v1
            kind: FeatureView
            name: riders
            %1$sentities: [{name: rider, field: rider_id, type: uuid}]
            measures:
              - {name: requests, count: all, where: {event_type: request}}
              - {name: east, max: lng}
              - {name: mean_lat, mean: lat}
            windows: {sizes: [2m], every: 1m}
            online: {ttl: 1d}
            offline: {iceberg: lake.riders_log, compact: false}
            """.formatted(SOURCE);

    private static final String CONFIG = """
              serving_log: {dir: "%1$s/served", sample: 1, max_per_second: 1000000}
            catalogs: {default: {folder: "%1$s/warehouse"}}
            """;

    /** No event is late, so it does not matter that a file has one clock, and a topic one for each partition. */
    private static final long OUT_OF_ORDER_MS = 20_000;

    private static final long MINUTE_MS = 60_000;
    /** More than three minutes of events. */
    private static final int EVENTS = 100;

    private static final int ROUNDS = 2;
    private static final int KEYS_PER_READ = 10;
    private static final int READS_AT_REST = 5;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /**
     * What the server said of a key.
     *
     * @param sentMs when the request was sent
     * @param timeMs the server's time
     * @param answer status, window end and values
     */
    private record Read(String view, Map<String, String> key, long sentMs, long timeMs, List<String> answer) {}

    private final List<Read> reads = new ArrayList<>();
    /** By read: a later time, from which on the log knows exactly what was readable. Late, because the store's writer may be held up. */
    private final List<Long> settledMs = new ArrayList<>();

    private int readsAtRest;

    @Test
    void trainingSet_ofReads_equalsTheAnswers() throws Exception {
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        Random random = new Random(seed);
        Files.writeString(folder.resolve("views.yaml"), VIEWS);
        List<FeatureView> views = Definitions.parse(VIEWS, "views.yaml").views();
        long startMs = Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            for (String topic : List.of("trained", "trained-dead")) {
                kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
            }
            try (RiderFeed feed = new RiderFeed(kafka.bootstrap(), "trained", seed, startMs);
                    ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap(), CONFIG.formatted(folder))) {
                Subprocess first = thalweg.start();
                play(thalweg, feed, views, random);
                feed.send(EVENTS);
                read(thalweg, feed, views, random);
                stop(first);
                Subprocess second = thalweg.start("--parallelism", "2");
                play(thalweg, feed, views, random);
                stop(second);
                feed.write(folder.resolve("events.jsonl"));
            }
        }
        for (FeatureView view : views) {
            check(view, seed);
        }
        checkSkew(views);
        CommandRun compacted = CommandRun.of(
                "log",
                "compact",
                folder.resolve("views.yaml").toString(),
                "--config",
                folder.resolve("thalweg.yaml").toString());
        assertThat(compacted.exit()).as(compacted.err()).isZero();
        assertThat(compacted.err()).containsPattern("log of view cells: files_before=[1-9]\\d* files_after=\\d ");
        checkBackfill(views);
    }

    /** The rows of the log are those that recorded events give. */
    private void checkBackfill(List<FeatureView> views) {
        CommandRun run = CommandRun.of(
                "run",
                folder.resolve("views.yaml").toString(),
                "--config",
                folder.resolve("thalweg.yaml").toString(),
                "--input",
                folder.resolve("events.jsonl").toString(),
                "--offline");
        assertThat(run.exit()).as(run.err()).isZero();
        for (FeatureView view : views) {
            assertThat(run.err())
                    .containsPattern("log of view %s: window_ends_added=\\d rows_added=\\d+ window_ends_equal=[1-9]\\d"
                            .formatted(view.name()));
        }
    }

    /** The server has kept all answers, and they are those of the log. */
    private void checkSkew(List<FeatureView> views) throws Exception {
        CommandRun run = CommandRun.of(
                "skew",
                "--config",
                folder.resolve("thalweg.yaml").toString(),
                "--views",
                folder.resolve("views.yaml").toString(),
                "--json",
                "--html",
                folder.resolve("skew.html").toString(),
                "--max-different",
                "0",
                "--max-stale",
                "0",
                "--max-missing",
                "0");
        assertThat(run.exit()).as(run.out() + run.err()).isZero();
        JsonNode reports = new com.fasterxml.jackson.databind.ObjectMapper()
                .readTree(run.out())
                .path("views");
        for (int i = 0; i < views.size(); i++) {
            String view = views.get(i).name();
            JsonNode report = reports.get(i);
            assertThat(report.path("answers").asLong())
                    .isEqualTo(reads.stream()
                            .filter(read -> read.view().equals(view))
                            .count());
            assertThat(report.path("causes").path("equal").asInt())
                    .as(report.path("causes").toString())
                    .isGreaterThanOrEqualTo(readsAtRest / 2);
        }
        assertThat(folder.resolve("skew.html")).content().contains("<svg", "same bits as the log");
    }

    private static void stop(Subprocess process) {
        process.signal(Subprocess.Signal.TERM);
        assertThat(process.awaitExit(Await.PATIENCE))
                .as(() -> String.join("\n", process.stderr()))
                .isZero();
        assumeThat(String.join("\n", process.stderr()))
                .as("without a savepoint, what became readable since the last checkpoint counts from the next start")
                .doesNotContain("there is no savepoint");
    }

    /** Reads random keys while window ends pass, and when the job is at rest. */
    private void play(ThalwegProcess thalweg, RiderFeed feed, List<FeatureView> views, Random random) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            feed.send(EVENTS);
            String end = Instant.ofEpochMilli(Math.floorDiv(feed.tick() - OUT_OF_ORDER_MS, MINUTE_MS) * MINUTE_MS)
                    .toString();
            Await.until(() -> "the rows until " + end, () -> {
                read(thalweg, feed, views, random);
                return isReadable(thalweg, views, end);
            });
            thalweg.awaitCheckpoint();
            int before = reads.size();
            for (int i = 0; i < READS_AT_REST; i++) {
                read(thalweg, feed, views, random);
            }
            readsAtRest += reads.size() - before;
            long nowMs = System.currentTimeMillis();
            while (settledMs.size() < reads.size()) {
                settledMs.add(nowMs);
            }
        }
    }

    private static boolean isReadable(ThalwegProcess thalweg, List<FeatureView> views, String end) throws Exception {
        for (FeatureView view : views) {
            if (thalweg.served().watermark(view.name()).compareTo(end) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Reads random keys of the views that have a watermark. */
    private void read(ThalwegProcess thalweg, RiderFeed feed, List<FeatureView> views, Random random) throws Exception {
        for (FeatureView view : views) {
            if (!thalweg.served().watermark(view.name()).isEmpty()) {
                read(thalweg, view, keys(view, feed, random));
            }
        }
    }

    private static List<Map<String, String>> keys(FeatureView view, RiderFeed feed, Random random) throws Exception {
        List<Map<String, String>> keys = new ArrayList<>();
        List<RiderFeed.Counted> counted =
                view.isKeyed() ? List.of() : List.copyOf(feed.counts(view).keySet());
        for (int i = 0; i < KEYS_PER_READ; i++) {
            if (view.isKeyed()) {
                keys.add(Map.of("rider", new UUID(7, random.nextInt(320)).toString()));
            } else {
                RiderFeed.Counted of = counted.get(random.nextInt(counted.size()));
                Map<String, String> key = new LinkedHashMap<>();
                key.put("cell", Long.toHexString(of.cell()));
                key.put("product", of.group().get(0).toString());
                keys.add(key);
            }
        }
        return keys;
    }

    private void read(ThalwegProcess thalweg, FeatureView view, List<Map<String, String>> keys) throws Exception {
        String entities = new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(keys);
        long beforeMs = System.currentTimeMillis();
        JsonNode answer = thalweg.served().read(view.name(), "{\"entities\":" + entities + "}");
        long afterMs = System.currentTimeMillis();
        for (int i = 0; i < keys.size(); i++) {
            JsonNode row = answer.get("rows").get(i);
            boolean timed = !row.get("age_ms").isNull();
            long timeMs = timed
                    ? Instant.parse(row.get("window_end").asText()).toEpochMilli()
                            + row.get("age_ms").asLong()
                    : (beforeMs + afterMs) / 2;
            List<String> cells = new ArrayList<>();
            cells.add(row.get("status").asText());
            cells.add(
                    row.get("window_end").isNull() ? "" : row.get("window_end").asText());
            for (int f = 0; f < view.featureNames().size(); f++) {
                JsonNode value = row.get("values").path(f);
                boolean isDouble = view.featureTypes().get(f).equals("double");
                cells.add(
                        value.isNull() || value.isMissingNode()
                                ? ""
                                : isDouble ? Double.toString(value.asDouble()) : value.asText());
            }
            reads.add(new Read(view.name(), keys.get(i), beforeMs, timeMs, cells));
        }
    }

    private void check(FeatureView view, long seed) throws Exception {
        int[] ofView = IntStream.range(0, reads.size())
                .filter(i -> reads.get(i).view().equals(view.name()))
                .toArray();
        List<List<String>> before = trained(view, ofView, i -> reads.get(i).sentMs());
        List<List<String>> at = trained(view, ofView, i -> reads.get(i).timeMs());
        List<List<String>> settled = trained(view, ofView, settledMs::get);
        int equal = 0;
        TreeSet<String> statuses = new TreeSet<>();
        for (int i = 0; i < ofView.length; i++) {
            Read read = reads.get(ofView[i]);
            String what = "%s, seed %d: before %s, settled %s".formatted(read, seed, before.get(i), settled.get(i));
            statuses.add(read.answer().get(0));
            if (before.get(i).equals(settled.get(i))) {
                equal++;
                assertThat(at.get(i)).as(what).isEqualTo(read.answer());
            } else {
                assertThat(read.answer().get(1))
                        .as(what)
                        .isBetween(before.get(i).get(1), settled.get(i).get(1));
            }
        }
        assertThat(equal).as("equal answers, of %d", ofView.length).isGreaterThanOrEqualTo(readsAtRest / 2);
        assertThat(statuses).contains("PRESENT", view.isKeyed() ? "NOT_FOUND" : "ZERO");
    }

    /** Returns the answers of a training set whose labels are the keys of reads. */
    private List<List<String>> trained(FeatureView view, int[] asked, IntToLongFunction timeMs) throws Exception {
        List<String> names = List.copyOf(reads.get(asked[0]).key().keySet());
        StringBuilder csv = new StringBuilder(String.join(",", names) + ",asked\n");
        for (int i : asked) {
            names.forEach(name -> csv.append(reads.get(i).key().get(name)).append(','));
            csv.append(timeMs.applyAsLong(i)).append('\n');
        }
        Path spine = Files.writeString(folder.resolve("labels.csv"), csv);
        Path out = folder.resolve("train.csv");
        CommandRun run = CommandRun.of(
                "training-set",
                "--config",
                folder.resolve("thalweg.yaml").toString(),
                "--spine",
                spine.toString(),
                "--time",
                "asked",
                "--unit",
                "ms",
                "--views",
                folder.resolve("views.yaml").toString(),
                "--features",
                view.name() + ":*",
                "--with",
                "window_end",
                "--out",
                out.toString());
        assertThat(run.exit()).as(run.err()).isZero();
        List<String> lines = Files.readAllLines(out);
        List<String> header = List.of(lines.get(0).split(","));
        List<List<String>> answers = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", -1);
            List<String> answer = new ArrayList<>();
            answer.add(cells[header.indexOf(view.name() + "__status")]);
            answer.add(cells[header.indexOf(view.name() + "__window_end")]);
            view.featureNames().forEach(name -> answer.add(cells[header.indexOf(view.name() + "__" + name)]));
            answers.add(answer);
        }
        return answers;
    }
}
