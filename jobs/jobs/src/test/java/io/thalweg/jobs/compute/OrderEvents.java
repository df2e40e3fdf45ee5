package io.thalweg.jobs.compute;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.KeyedRowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.verify.KeyedRecount;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Seeded orders of a market, and keyed views to count them with. */
final class OrderEvents {
    static final long START_MS = CityEvents.START_MS;

    private static final List<String> MERCHANTS =
            List.of("bäcker", "c", "", "merchant with a long name, of 40 letters");

    private OrderEvents() {}

    /** Creates a view with every measure over a separate topic, with the sink {@code <topic>-rows}. */
    static FeatureView view(String topic, String entities, String sizes, String emit, String format, String delivery) {
        return Definitions.parse(
                        """
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: orders
                        source:
                          topic: %s
                          start: earliest
                          format: json
                          event_time: {field: ts, unit: ms}
                          max_out_of_orderness: 10s
                          max_future: 10d
                          idle_after: 10m
                        where: {type: order}
                        entities: %s
                        measures:
                          - {name: orders, count: all}
                          - {name: paid, count: all, where: {paid: true}, per: minute}
                          - {sum: amount}
                          - {name: items, sum: items, type: int64}
                          - {min: amount, where: {paid: true}}
                          - {name: most, max: items, type: int64}
                          - {mean: amount}
                          - {name: buyers, count_distinct: buyer}
                          - {name: devices, count_distinct: device, type: uuid, where: {paid: true}}
                        windows: {sizes: %s, every: 1m}
                        %s
                        sink: {topic: %s, format: %s, delivery: %s}
                        online: {ttl: 10m, history: 6h}
                        """.formatted(topic, entities, sizes, emit, topic + "-rows", format, delivery), "orders.yaml")
                .views()
                .get(0);
    }

    static FeatureView view(String entities, String sizes, String emit) {
        return view("orders", entities, sizes, emit, "json", "at_least_once");
    }

    /** Creates orders that are out of order by a few seconds; the second half follows a gap longer than all windows. */
    static List<String> events(long seed, int count) {
        Random random = new Random(seed);
        List<String> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long gap = i < count / 2 ? 0 : 40 * 60_000L;
            events.add(event(random, START_MS + gap + i * 600_000L / count - random.nextInt(9_000)));
        }
        return events;
    }

    static String event(Random random, long timeMs) {
        String merchant = random.nextInt(3) == 0
                ? MERCHANTS.get(random.nextInt(MERCHANTS.size()))
                : "m" + (int) Math.abs(random.nextGaussian() * 20);
        double amount = random.nextInt(20) == 0
                ? random.nextGaussian() * 1e300
                : random.nextInt(-100, 10_000) / (random.nextBoolean() ? 100.0 : 7.0);
        return "{\"type\":\"%s\",\"merchant\":\"%s\",\"shop\":%d,\"pickup\":%s,\"device\":\"%s\",\"buyer\":\"b%d\",\"paid\":%s,\"amount\":%s,\"items\":%d,\"ts\":%d}"
                .formatted(
                        random.nextInt(10) == 0 ? "cancel" : "order",
                        merchant,
                        random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(30),
                        random.nextBoolean(),
                        new UUID(random.nextInt(3), random.nextInt(20)),
                        random.nextInt(12),
                        random.nextInt(3) > 0,
                        amount,
                        random.nextInt(30) == 0 ? random.nextLong() : random.nextInt(9),
                        timeMs);
    }

    /** Recounts partitions that each have their own clock. */
    static Expected expected(FeatureView view, List<List<String>> partitions) throws IOException {
        KeyedRecount recount = new KeyedRecount(view);
        List<DeadLetter> letters = new ArrayList<>();
        for (List<String> partition : partitions) {
            byte[] lines = String.join("\n", partition).getBytes(StandardCharsets.UTF_8);
            BatchReader.of(List.of(view)).read(new ByteArrayInputStream(lines), "events", verdict -> {
                recount.add(verdict);
                if (verdict.deadLetter() != null) {
                    letters.add(verdict.deadLetter());
                }
            });
        }
        return new Expected(view, recount, letters);
    }

    /** The expected results of a job. */
    record Expected(FeatureView view, KeyedRecount recount, List<DeadLetter> deadLetters) {
        /** Returns the rows of window ends up to and including this one, as sorted JSON lines. */
        List<String> upTo(long windowEndMs) {
            return between(Long.MIN_VALUE, windowEndMs);
        }

        List<String> between(long fromMs, long toMs) {
            KeyedRowJson json = new KeyedRowJson(view);
            List<String> rows = new ArrayList<>();
            recount.forEachRow(row -> {
                if (row.windowEndMs() >= fromMs && row.windowEndMs() <= toMs) {
                    rows.add(new String(json.value(row, 0), StandardCharsets.UTF_8));
                }
            });
            rows.sort(null);
            return rows;
        }
    }
}
