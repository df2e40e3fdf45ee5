package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.cli.run.RiderFeed.Counted;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Live reads through the server of a running process: what the job says of the open window is what was sent. */
class LiveIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MAX_KEYS = 1_000;
    private static final String VIEWS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: cells
            source:
              topic: live-events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities:
              - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
              - {name: product, field: product_id, type: uuid}
            measure: {count_distinct: rider_id, type: uuid}
            rings: [0, 1]
            windows: {sizes: [1m], every: 1m}
            ---
            apiVersion: thalweg/v1
            kind: FeatureView
            name: products
            source:
              topic: live-events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities: [{name: product, field: product_id, type: uuid}]
            measures: [{name: riders, count_distinct: rider_id, type: uuid}]
            windows: {sizes: [1m], every: 1m}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void read_live_countsWhatWasSent() throws Exception {
        Files.writeString(folder.resolve("views.yaml"), VIEWS);
        List<FeatureView> views = Definitions.parse(VIEWS, "views.yaml").views();
        long startMs = Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            for (String topic : List.of("live-events", "live-events-dead")) {
                kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
            }
            try (RiderFeed feed = new RiderFeed(kafka.bootstrap(), "live-events", seed, startMs);
                    ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap())) {
                feed.send(400);
                Subprocess run = thalweg.start("--parallelism", "2");
                for (FeatureView view : views) {
                    awaitAll(thalweg, feed, view, run, seed);
                }
                feed.send(100); // in the middle of a window
                for (FeatureView view : views) {
                    awaitAll(thalweg, feed, view, run, seed);
                }
            }
        }
    }

    /** Until every key has as many riders in its open window as were sent. */
    private static void awaitAll(ThalwegProcess thalweg, RiderFeed feed, FeatureView view, Subprocess run, long seed)
            throws Exception {
        Map<Counted, Integer> counts = feed.counts(view);
        List<Counted> keys = counts.keySet().stream()
                .map(of -> new Counted(of.cell(), of.group(), 0))
                .distinct()
                .limit(MAX_KEYS)
                .toList();
        String request = "{\"read_from\":\"LIVE\",\"entities\":[%s]}"
                .formatted(keys.stream().map(key -> entity(view, key)).collect(Collectors.joining(",")));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String difference = "no answer";
        while (!difference.isEmpty()) {
            assertThat(System.nanoTime())
                    .as("seed %d: %s; %s", seed, difference, String.join("\n", run.stderr()))
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
            JsonNode answer = thalweg.tryRead(view.qualifiedName(), request);
            difference = answer == null ? "no answer" : difference(answer, keys, counts, view);
        }
    }

    private static String entity(FeatureView view, Counted key) {
        String product = "\"product\":\"" + key.group().get(0) + "\"";
        return view.isKeyed() ? "{" + product + "}" : "{\"cell\":\"%x\",%s}".formatted(key.cell(), product);
    }

    private static String difference(
            JsonNode answer, List<Counted> keys, Map<Counted, Integer> counts, FeatureView view) {
        long found = 0;
        for (int i = 0; i < keys.size(); i++) {
            JsonNode row = answer.path("rows").get(i);
            if (row.path("window_end").isNull()) {
                return "no watermark yet";
            }
            long endMs = Instant.parse(row.path("window_end").asText()).toEpochMilli();
            long pane = endMs / view.windows().every().millis() - 1;
            int expected = counts.getOrDefault(
                    new Counted(keys.get(i).cell(), keys.get(i).group(), pane), 0);
            if (row.path("values").get(0).asInt() != expected) {
                return "%s must have %d riders, was %s".formatted(keys.get(i), expected, row);
            }
            found += expected;
        }
        return found > 0 ? "" : "no key has a rider in its open window";
    }
}
