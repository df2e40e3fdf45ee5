package io.thalweg.jobs.compute;

import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Seeded rider events around a place, and a demand view to count them with. */
final class CityEvents {
    static final long START_MS = 1_767_225_600_000L;

    private CityEvents() {}

    static FeatureView view(String sinkFormat, String delivery) {
        return view("demand", "rider-events", "2s", sinkFormat, delivery, "[0, 1, 2, 5, 20]", "[1m, 2m, 8m]");
    }

    /**
     * Creates a view of a separate topic, with the sink {@code <topic>-rows} and the dead letters {@code <topic>-dead}. Its rings are
     * small: for tests of time and failures, a million rows show no more than a hundred thousand.
     */
    static FeatureView view(String name, String topic, String idleAfter, String sinkFormat, String delivery) {
        return view(name, topic, idleAfter, sinkFormat, delivery, "[0, 1, 5]", "[1m, 2m, 8m]");
    }

    /** Creates a view with the name and topic of another one, and with other rings and windows. */
    static FeatureView view(String rings, String sizes, FeatureView like) {
        return view(like.name(), like.source().topics().get(0), "2s", "json", "at_least_once", rings, sizes);
    }

    private static FeatureView view(
            String name,
            String topic,
            String idleAfter,
            String sinkFormat,
            String delivery,
            String rings,
            String sizes) {
        return Definitions.parse(
                        """
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: %s
                        source:
                          topic: %s
                          start: earliest
                          format: json
                          event_time: {field: ts, unit: ms}
                          max_out_of_orderness: 10s
                          max_future: 10d
                          idle_after: %s
                        where: {event_type: [request, app_open]}
                        entities:
                          - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
                          - {name: product, field: product_id, type: uuid}
                        measure: {count_distinct: rider_id, type: uuid}
                        rings: %s
                        windows: {sizes: %s, every: 1m}
                        sink: {topic: %s, format: %s, delivery: %s}
                        online: {ttl: 10m, history: 6h}
                        """.formatted(name, topic, idleAfter, rings, sizes, topic + "-rows", sinkFormat, delivery),
                        name + ".yaml")
                .views()
                .get(0);
    }

    /** Creates events that are out of order by a few seconds; the second half follows a gap longer than all windows. */
    static List<String> events(long seed, int count, double lat, double lng) {
        Random random = new Random(seed);
        List<UUID> riders = new ArrayList<>();
        for (int i = 0; i < count / 4 + 1; i++) {
            riders.add(new UUID(random.nextLong(), random.nextLong()));
        }
        UUID[] products = {new UUID(1, 1), new UUID(2, 2)};
        List<String> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long gap = i < count / 2 ? 0 : 40 * 60_000L;
            long ts = START_MS + gap + i * 600_000L / count - random.nextInt(9_000);
            String type = random.nextInt(10) == 0 ? "cancel" : random.nextBoolean() ? "request" : "app_open";
            events.add(
                    "{\"event_type\":\"%s\",\"rider_id\":\"%s\",\"product_id\":\"%s\",\"lat\":%s,\"lng\":%s,\"ts\":%d}"
                            .formatted(
                                    type,
                                    riders.get(random.nextInt(riders.size())),
                                    products[random.nextInt(2)],
                                    lat + random.nextGaussian() * 0.03,
                                    lng + random.nextGaussian() * 0.03,
                                    ts));
        }
        return events;
    }

    /** Returns the rows of an undisturbed run, as sorted JSON lines. */
    static List<String> expectedRows(FeatureView view, List<String> events) throws IOException {
        return NaiveRows.of(
                view, new ByteArrayInputStream(String.join("\n", events).getBytes(StandardCharsets.UTF_8)));
    }

    static long accepted(FeatureView view, List<String> events) throws IOException {
        long[] accepted = {0};
        BatchReader.of(List.of(view))
                .read(
                        new ByteArrayInputStream(String.join("\n", events).getBytes(StandardCharsets.UTF_8)),
                        "events",
                        verdict -> {
                            if (verdict.outcome() == EventOutcome.ACCEPTED) {
                                accepted[0]++;
                            }
                        });
        return accepted[0];
    }
}
