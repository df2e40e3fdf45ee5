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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A training set whose labels are reads equals what the server answered, bit for bit and status by status, across a restart with another
 * parallelism. {@code -Dthalweg.seed=N} replays the events and the keys.
 */
@Tag("test")
class TrainingSetIT {
    private static final String SOURCE = """
            source:
              topic: trained
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
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

    /**
     * Answers must be equal if nothing became readable this near to a read. Nearer, the log and the server may differ by how long the store's
     * writer is held up between writing a row and looking at the clock.
     */
    private static final long NEAR_MS = 2_000;

    /** Each is two seconds of event time, so a window of a minute ends every six seconds. */
    private static final int EVENTS_PER_SECOND = 5;

    private static final int KEYS_PER_READ = 10;
    private static final int ENDS_OF_EACH_RUN = 3;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /**
     * What the server said of a key.
     *
     * @param timeMs the server's time
     */
    private record Read(String view, Map<String, String> key, long timeMs, List<String> answer) {}

    @Test
    void trainingSet_ofReads_equalsTheAnswers() throws Exception {
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        Random random = new Random(seed);
        Files.writeString(folder.resolve("views.yaml"), VIEWS);
        List<FeatureView> views = Definitions.parse(VIEWS, "views.yaml").views();
        long startMs = Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
        List<Read> reads = new ArrayList<>();
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            for (String topic : List.of("trained", "trained-dead")) {
                kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
            }
            try (RiderFeed feed = new RiderFeed(kafka.bootstrap(), "trained", seed, startMs);
                    ThalwegProcess thalweg = new ThalwegProcess(
                            folder,
                            kafka.bootstrap(),
                            "catalogs: {default: {folder: " + folder.resolve("warehouse") + "}}")) {
                feed.send(200);
                Subprocess first = thalweg.start();
                feed.startSending(EVENTS_PER_SECOND);
                readUntil(thalweg, feed, views, random, reads, first);
                stop(first);
                Subprocess second = thalweg.start("--parallelism", "2");
                readUntil(thalweg, feed, views, random, reads, second);
                feed.stopSending();
                stop(second);
            }
        }
        for (FeatureView view : views) {
            List<Read> ofView = reads.stream()
                    .filter(read -> read.view().equals(view.name()))
                    .toList();
            check(view, ofView, seed);
        }
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

    /** Reads random keys of all views until their watermarks have advanced by some window ends. */
    private static void readUntil(
            ThalwegProcess thalweg,
            RiderFeed feed,
            List<FeatureView> views,
            Random random,
            List<Read> reads,
            Subprocess process)
            throws Exception {
        TreeSet<String> watermarks = new TreeSet<>();
        long deadline = System.nanoTime() + Await.PATIENCE.toNanos();
        while (watermarks.size() <= ENDS_OF_EACH_RUN) {
            assertThat(System.nanoTime())
                    .as(() -> "no new window end: " + process.stderr())
                    .isLessThan(deadline);
            for (FeatureView view : views) {
                String watermark = thalweg.served().watermark(view.name());
                if (!watermark.isEmpty()) {
                    watermarks.add(watermark);
                    reads.addAll(read(thalweg, view, keys(view, feed, random)));
                }
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

    private static List<Read> read(ThalwegProcess thalweg, FeatureView view, List<Map<String, String>> keys)
            throws Exception {
        String entities = new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(keys);
        long beforeMs = System.currentTimeMillis();
        JsonNode answer = thalweg.served().read(view.name(), "{\"entities\":" + entities + "}");
        long afterMs = System.currentTimeMillis();
        List<Read> reads = new ArrayList<>();
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
            reads.add(new Read(view.name(), keys.get(i), timeMs, cells));
        }
        return reads;
    }

    private void check(FeatureView view, List<Read> reads, long seed) throws Exception {
        List<List<String>> before = trained(view, reads, -NEAR_MS);
        List<List<String>> at = trained(view, reads, 0);
        List<List<String>> after = trained(view, reads, NEAR_MS);
        int settled = 0;
        TreeSet<String> statuses = new TreeSet<>();
        for (int i = 0; i < reads.size(); i++) {
            Read read = reads.get(i);
            String what = "%s, seed %d: before %s, after %s".formatted(read, seed, before.get(i), after.get(i));
            statuses.add(read.answer().get(0));
            if (before.get(i).equals(after.get(i))) {
                settled++;
                assertThat(at.get(i)).as(what).isEqualTo(read.answer());
            } else {
                // Several window ends may have become readable meanwhile, but none was taken back.
                assertThat(read.answer().get(1))
                        .as(what)
                        .isGreaterThanOrEqualTo(before.get(i).get(1));
            }
        }
        assertThat(settled).as("reads apart from changes, of %d", reads.size()).isGreaterThan(reads.size() / 10);
        assertThat(statuses).contains("PRESENT", view.isKeyed() ? "NOT_FOUND" : "ZERO");
    }

    /** Returns the answers of a training set whose labels are the reads, some time earlier or later. */
    private List<List<String>> trained(FeatureView view, List<Read> reads, long laterMs) throws Exception {
        List<String> names = List.copyOf(reads.get(0).key().keySet());
        StringBuilder csv = new StringBuilder(String.join(",", names) + ",asked\n");
        for (Read read : reads) {
            names.forEach(name -> csv.append(read.key().get(name)).append(','));
            csv.append(read.timeMs() + laterMs).append('\n');
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
