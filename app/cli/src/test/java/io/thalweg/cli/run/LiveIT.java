package io.thalweg.cli.run;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Live reads through the server of a running process: the job's answer for the open window matches what was sent. */
@Tag("test")
class LiveIT {
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
                    OpenWindows.await(thalweg, feed, view, true, seed, run::stderr);
                }
                feed.send(100); // in the middle of a window
                for (FeatureView view : views) {
                    OpenWindows.await(thalweg, feed, view, true, seed, run::stderr);
                }
            }
        }
    }
}
