package io.thalweg.jobs.load;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Small views and their rows. */
final class LoadViews {
    static final FeatureView DEMAND = view(
            "name: demand", "[{name: cell, h3: {cell: c, resolution: 9}}]", "measure: {count: all}\nrings: [0, 1]");
    static final FeatureView SUPPLY = view(
            "name: supply", "[{name: cell, h3: {cell: c, resolution: 9}}]", "measure: {count: all}\nrings: [0, 1]");
    static final FeatureView CAMPAIGNS =
            view("name: campaigns", "[{name: campaign, field: c}]", "measures: [{name: views, count: all}]");

    private LoadViews() {}

    private static FeatureView view(String name, String entities, String rest) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        %s
                        source: {topic: events}
                        entities: %s
                        %s
                        windows: {sizes: [1m], every: 1m}
                        sink: {topic: rows}
                        """.formatted(name, entities, rest), "view.yaml")
                .views()
                .get(0);
    }

    static long cell(int i) {
        return 0x892a10000000000L | ((long) i << 18) | 0x3FFFF;
    }

    /** Creates rows of neighbouring cells. The counts of cell {@code first + i} are {@code first + i}, and seven times that. */
    static HexRowBlock rows(int first, int count, long windowEndMs) {
        return new HexRowBlock(
                BlockHead.ofFinal("demand", 0, windowEndMs),
                0,
                List.of(),
                IntStream.range(first, first + count).mapToLong(LoadViews::cell).toArray(),
                LongStream.range(first, first + count)
                        .flatMap(i -> LongStream.of(i, 7 * i))
                        .toArray(),
                null);
    }

    static KeyedRowBlock campaign(String key, long views, long windowEndMs) {
        return new KeyedRowBlock(
                BlockHead.ofFinal("campaigns", 0, windowEndMs),
                KeyColumns.ofBytes(new KeyCodec(CAMPAIGNS).bytes(List.of(key))),
                ValueColumns.ofNumbers(new long[] {0}, new long[] {views}, new boolean[1]));
    }
}
