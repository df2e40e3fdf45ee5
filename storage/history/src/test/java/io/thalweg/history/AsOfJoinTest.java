package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.uber.h3core.H3Core;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.Shard;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the join with {@link NaiveAsOf} on random logs: late progress, gaps, ties, and ages around {@code ttl}. */
class AsOfJoinTest {
    private static final long MINUTE = 60_000;
    private static final long BASE = 29_000_000 * MINUTE;
    private static final int ENDS = 20;
    private static final int LABELS = 400;

    private static final String RINGS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: demand
            source: {topic: rider-events, event_time: {field: ts}}
            entities: [{name: cell, h3: {lat: lat, lng: lng}}, {name: product, field: product}]
            measure: {count_distinct: rider}
            rings: [0, 1]
            windows: {sizes: [1m, 2m], every: 1m}
            online: {ttl: 5m}
            """;
    private static final String KEYED = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: orders
            source: {topic: orders, event_time: {field: ts}}
            entities: [{name: user, field: user, type: %s}]
            measures: [{name: count, count: all}, {name: dearest, max: price, type: double}]
            windows: {sizes: [1m, 3m], every: 1m}
            online: {ttl: 5m%s}
            """;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private static FeatureView view(String yaml) {
        return Definitions.parse(yaml, "view.yaml").views().get(0);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void join_viewWithRings_answersAsTheServer(long seed) throws Exception {
        check(view(RINGS), OfflineSpec.Format.PACKED, seed);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void join_keyedView_answersAsTheServer(long seed) throws Exception {
        Random random = new Random(seed);
        OfflineSpec.Format format = random.nextBoolean() ? OfflineSpec.Format.PACKED : OfflineSpec.Format.COLUMNS;
        String type = List.of("string", "int64", "uuid").get(random.nextInt(3));
        check(view(KEYED.formatted(type, random.nextBoolean() ? ", history: 4m" : "")), format, seed);
    }

    private void check(FeatureView view, OfflineSpec.Format format, long seed)
            throws IOException, InterruptedException {
        Random random = new Random(seed);
        Scenario scenario = new Scenario(view, random);
        LogFixture log = new LogFixture(view, format, folder.resolve(view.name() + seed));
        scenario.write(log);
        int[] features = IntStream.range(0, view.featureNames().size()).toArray();
        Labels labels = new Labels(view, LABELS);
        List<List<Object>> asked = new ArrayList<>();
        for (int i = 0; i < LABELS; i++) {
            List<Object> key = scenario.keys.get(random.nextInt(scenario.keys.size()));
            asked.add(key);
            long cell = view.isKeyed() ? 0 : (Long) key.get(0);
            labels.add(scenario.time(), cell, view.isKeyed() ? key : key.subList(1, key.size()));
        }
        try (FeatureLog opened = log.open()) {
            AsOfJoin join = new AsOfJoin(labels, features, opened.logged(labels.firstMs()));
            join.read(opened, threads, bytes -> {});
            AsOfJoin.Answers answers = join.answers();
            for (int i = 0; i < LABELS; i++) {
                NaiveAsOf.Answer expected = scenario.naive.at(asked.get(i), labels.timeMs(i));
                String what = "label %d: %s at %d".formatted(i, asked.get(i), labels.timeMs(i));
                assertThat(answers.isLogged(i)).as(what).isEqualTo(expected != null);
                if (expected != null) {
                    assertThat(answers.outcome(i)).as(what).isEqualTo(expected.outcome());
                    assertThat(LogFixture.values(answers, i, view)).as(what).isEqualTo(expected.values());
                }
            }
        }
    }

    /** A random log, and what the oracle knows of it. */
    private static final class Scenario {
        private final FeatureView view;
        private final Random random;
        private final NaiveAsOf naive;
        private final List<List<Object>> keys = new ArrayList<>();
        private final List<RowBlock> blocks = new ArrayList<>();
        private final LogProgress progress = new LogProgress();
        private final List<Long> moments = new ArrayList<>();

        Scenario(FeatureView view, Random random) throws IOException {
            this.view = view;
            this.random = random;
            naive = new NaiveAsOf(view);
            H3Core h3 = H3Core.newInstance();
            for (int i = 0; i < 12; i++) {
                keys.add(
                        view.isKeyed()
                                ? List.of(key(i))
                                : List.of(
                                        h3.latLngToCell(40 + random.nextDouble(0.5), -74 + random.nextDouble(0.5), 9),
                                        "product" + i % 2));
            }
            for (int end = 0; end < ENDS; end++) {
                if (random.nextInt(5) > 0) {
                    rows(BASE + end * MINUTE);
                }
            }
            progress();
        }

        private Object key(int i) {
            return switch (view.group().get(0).type()) {
                case INT64 -> (long) i * 1_000_003;
                case UUID -> new java.util.UUID(random.nextLong(), i).toString();
                default -> "user-" + i;
            };
        }

        private int shard(List<Object> key) {
            return view.isKeyed()
                    ? new KeyCodec(view).shard(key)
                    : Shard.of(HexTiling.of(9).tile((Long) key.get(0)));
        }

        private void rows(long endMs) {
            RowCodec codec = RowCodec.of(view);
            for (List<Object> key : keys) {
                if (random.nextInt(3) == 0) {
                    continue;
                }
                BlockHead head = BlockHead.ofFinal(view.qualifiedName(), shard(key), endMs);
                RowBlock block = view.isKeyed() ? keyed(head, key) : rings(head, key);
                blocks.add(block);
                naive.row(key, shard(key), codec.decodeRow(codec.encodeRow(block, 0)));
            }
        }

        private RowBlock rings(BlockHead head, List<Object> key) {
            long cell = (Long) key.get(0);
            long[] sums = random.nextInt(6) == 0
                    ? new long[4]
                    : random.longs(4, 0, 50).toArray();
            return new HexRowBlock(head, HexTiling.of(9).tile(cell), key.subList(1, 2), new long[] {cell}, sums, null);
        }

        private RowBlock keyed(BlockHead head, List<Object> key) {
            ValueColumns values = ValueColumns.ofNumbers(4);
            for (int i = 0; i < 2; i++) {
                values.low()[i] = random.nextInt(100);
                values.low()[2 + i] = Double.doubleToRawLongBits(random.nextDouble(100));
                values.nulls()[2 + i] = random.nextInt(4) == 0;
            }
            return new KeyedRowBlock(head, KeyColumns.ofOne(new KeyCodec(view), key), values);
        }

        /** Some window ends have no record of their own, as if no shard had work; some are recorded twice. */
        private void progress() {
            long[] last = new long[Shard.COUNT];
            for (int end = 0; end < ENDS; end++) {
                long endMs = BASE + end * MINUTE;
                boolean skipped = random.nextInt(6) == 0 && end + 1 < ENDS;
                long outage = random.nextInt(8) == 0 ? 4 * MINUTE : 0;
                long moment = endMs + 2_000 + random.nextInt(3_000) + outage;
                for (int shard = 0; shard < Shard.COUNT && !skipped; shard++) {
                    long at = Math.max(last[shard], moment + random.nextInt(2_000));
                    last[shard] = at;
                    record(shard, endMs, at - random.nextInt(1_000), at);
                    if (random.nextInt(200) == 0) {
                        record(shard, endMs, at + 19_000, at + 20_000);
                    }
                }
                moments.add(moment + 2_000);
                moments.add(last[shard(keys.get(random.nextInt(keys.size())))]);
            }
        }

        private void record(int shard, long endMs, long rowsAtMs, long atMs) {
            progress.add(shard, endMs, rowsAtMs, atMs);
            naive.reached(shard, endMs, rowsAtMs, atMs);
        }

        void write(LogFixture log) throws IOException {
            int cut = random.nextInt(blocks.size());
            // In any order: the join does not rely on one.
            log.rows(blocks.subList(cut, blocks.size()));
            log.rows(blocks.subList(0, cut));
            log.progress(progress);
        }

        /** Often the very moment at which rows become readable, or the edge of a row's age. */
        long time() {
            long any = BASE - 2 * MINUTE + random.nextLong((ENDS + 12) * MINUTE);
            return switch (random.nextInt(4)) {
                case 0 -> moments.get(random.nextInt(moments.size())) + random.nextInt(3) - 1;
                case 1 -> BASE + random.nextInt(ENDS) * MINUTE + 5 * MINUTE + random.nextInt(3) - 1;
                default -> any;
            };
        }
    }
}
