package io.thalweg.bench.serve;

import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import java.util.Arrays;
import java.util.List;

/** The history of a keyed view: a partition is a key, and a read is for the newest row at or before a time. */
final class KeyedHistory extends History {
    private static final String DEFINITION = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: %s
            source: {topic: orders}
            entities: [{name: merchant, field: merchant_id, type: int64}]
            measures: [{count: all}, {sum: items, type: int64}]
            windows: {sizes: [1m, 1h], every: 1m}
            online: %s
            """;
    private static final int TTL_MINUTES = 30;
    private static final int FEATURES = 4;

    KeyedHistory(Holding holding) {
        super("keyed", holding, DEFINITION, TTL_MINUTES, 1);
    }

    @Override
    List<Read> reads() {
        return List.of(Read.values());
    }

    @Override
    StoreKey key(int number) {
        return new StoreKey(0, List.of((long) number));
    }

    @Override
    long reachMs() {
        return TTL_MINUTES * EVERY_MS;
    }

    @Override
    void write(OnlineStore store, long endMs) {
        long[] keys = new long[PARTITIONS];
        long[] values = new long[PARTITIONS * FEATURES];
        for (int key = 0; key < PARTITIONS; key++) {
            keys[key] = key;
            for (int feature = 0; feature < FEATURES; feature++) {
                values[key * FEATURES + feature] = value(key, feature, endMs);
            }
        }
        store.write(
                view(),
                List.of(new KeyedRowBlock(
                        BlockHead.ofFinal(view().qualifiedName(), 0, endMs),
                        KeyColumns.ofWords(new long[PARTITIONS], keys),
                        ValueColumns.ofNumbers(new long[values.length], values, new boolean[values.length]))));
    }

    private static long value(int key, int feature, long endMs) {
        return endMs / EVERY_MS % 10_007 * FEATURES + feature + 100_000L * key;
    }

    @Override
    boolean isWritten(StoredRow row, int key, long endMs) {
        Long[] values = new Long[FEATURES];
        Arrays.setAll(values, feature -> value(key, feature, endMs));
        return row.windowEndMs() == endMs && row.values().equals(List.of(values));
    }
}
