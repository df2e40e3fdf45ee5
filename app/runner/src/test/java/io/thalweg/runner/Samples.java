package io.thalweg.runner;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowJson;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** A small view, events for it, and rows that are computed from them independently, straight from the definition. */
public final class Samples {
    public static final String VIEW = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: small
            version: 1
            source: {topic: taps, format: json, event_time: {field: ts, unit: ms}, max_out_of_orderness: 10s}
            where: {kind: [tap]}
            entities:
              - name: cell
                h3: {lat: lat, lng: lng, resolution: 9}
              - {name: product, field: product, type: string}
            measure: {count_distinct: who, type: uuid}
            rings: [0, 2]
            windows: {sizes: [1m, 2m], every: 1m}
            sink: {topic: small-features, format: json}
            online: {ttl: 10m}
            """;

    public static final long START_MS = 1_767_290_400_000L;

    private Samples() {}

    public static Path view(Path folder) throws IOException {
        return Files.writeString(folder.resolve("small.yaml"), VIEW);
    }

    public static FeatureView view() {
        return Definitions.parse(VIEW, "small.yaml").views().get(0);
    }

    /** Creates taps in time order around one place, some of them by the same rider. */
    public static List<String> events(long seed, int count) {
        Random random = new Random(seed);
        List<String> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(
                    new UUID(1, random.nextInt(5)),
                    40.75 + 0.004 * random.nextDouble(),
                    -73.98 + 0.004 * random.nextDouble(),
                    random.nextBoolean() ? "pool" : "solo",
                    START_MS + i * 7_000L));
        }
        return events;
    }

    public static String event(UUID who, double lat, double lng, String product, long timeMs) {
        return "{\"kind\":\"tap\",\"who\":\"%s\",\"lat\":%s,\"lng\":%s,\"product\":\"%s\",\"ts\":%d}"
                .formatted(who, lat, lng, product, timeMs);
    }

    public static Path write(Path file, List<String> lines) throws IOException {
        return Files.write(file, lines, StandardCharsets.UTF_8);
    }

    /** One row as the job writes it. */
    public static String row(long cell, String product, long windowEndMs, long... sums) {
        HexRowBlock block = new HexRowBlock(
                BlockHead.ofFinal("small", 0, windowEndMs), 0, List.of(product), new long[] {cell}, sums, null);
        byte[] bytes = new HexRowJson(view()).value(block, 0, windowEndMs);
        return new String(Arrays.copyOf(bytes, bytes.length), StandardCharsets.UTF_8);
    }
}
