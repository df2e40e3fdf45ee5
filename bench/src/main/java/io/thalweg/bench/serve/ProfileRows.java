package io.thalweg.bench.serve;

import io.thalweg.api.v1.AnswerForm;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A keyed view of 200 features, the size of a read that users of Feast complain about: 50 candidates of a ranking model. Equal
 * parameters give equal rows.
 *
 * @param users the number of keys, in whole blocks
 * @param endMs the window end of all rows
 */
record ProfileRows(int users, long endMs) {
    static final String DEFINITION = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: profiles
            source: {topic: profile-events, event_time: {field: ts}}
            entities: [{name: user, field: user_id}]
            measures: [%s]
            windows: {sizes: [1m, 2m, 4m, 8m, 16m], every: 1m}
            online: {ttl: 1d}
            """.formatted(IntStream.range(0, 40)
            .mapToObj("{name: m%1$d, sum: v%1$d}"::formatted)
            .collect(Collectors.joining(", ")));

    private static final FeatureView VIEW =
            Definitions.parse(DEFINITION, "profiles.yaml").views().get(0);
    private static final int FEATURES = VIEW.featureNames().size();
    private static final int BLOCK_ROWS = 1_000;
    private static final int REQUESTS = 500;
    private static final int KEYS = 50;

    /** Writes all rows, and the progress of their view. */
    void writeTo(OnlineStore store) {
        for (int from = 0; from < users; from += BLOCK_ROWS) {
            store.write(VIEW, List.of(block(from)));
        }
        store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, endMs));
    }

    private KeyedRowBlock block(int from) {
        KeyCodec codec = new KeyCodec(VIEW);
        byte[][] keys = new byte[BLOCK_ROWS][];
        long[] bits = new long[BLOCK_ROWS * FEATURES];
        for (int row = 0; row < BLOCK_ROWS; row++) {
            keys[row] = codec.bytes(List.of(user(from + row)));
            double[] values = values(from + row);
            for (int f = 0; f < FEATURES; f++) {
                bits[row * FEATURES + f] = Double.doubleToRawLongBits(values[f]);
            }
        }
        return new KeyedRowBlock(
                BlockHead.ofFinal(VIEW.qualifiedName(), 0, endMs),
                new KeyColumns(new long[0], new long[0], keys),
                ValueColumns.ofNumbers(new long[bits.length], bits, new boolean[bits.length]));
    }

    private static String user(int user) {
        return "user-%08d".formatted(user);
    }

    /** Amounts of money, of which the longer windows have more. */
    private static double[] values(int user) {
        Random random = new Random(user);
        return IntStream.range(0, FEATURES)
                .mapToDouble(f -> random.nextInt(10_000 * (1 + f % 5)) / 100.0)
                .toArray();
    }

    /** Draws random users for each request. */
    List<int[]> draw() {
        Random random = new Random(KEYS);
        return Stream.generate(() -> random.ints(KEYS, 0, users).toArray())
                .limit(REQUESTS)
                .toList();
    }

    /** Returns a request for each list of users. */
    static List<ReadFeaturesRequest> requests(List<int[]> drawn, AnswerForm form) {
        return GrpcReaders.requests(
                VIEW.qualifiedName(),
                drawn.stream()
                        .map(users -> IntStream.of(users)
                                .mapToObj(user -> Map.of("user", user(user)))
                                .toList()),
                form);
    }

    /** Returns the rows of these users. */
    List<Answers.Row> expected(int[] drawn) {
        return IntStream.of(drawn)
                .mapToObj(user -> new Answers.Row(endMs, values(user)))
                .toList();
    }
}
