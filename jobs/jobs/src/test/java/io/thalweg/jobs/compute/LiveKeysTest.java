package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.naive.NaiveKeyed;
import io.thalweg.live.LiveView;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the open window of a key, read while the operator counts and fires, with the recount of its events. */
class LiveKeysTest {
    private static final long MINUTE = 60_000;
    private static final String JOB = "live-keys-test";
    private static final int KEYS = 300;

    private static FeatureView view(String type, String sizes) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: orders
                        source: {topic: orders}
                        entities: [{name: merchant, field: merchant, type: %s}]
                        measures:
                          - {name: orders, count: all}
                          - {name: revenue, sum: cents, type: int64}
                          - {name: largest, max: cents, type: int64}
                        windows: {sizes: [%s], every: 1m}
                        """.formatted(type, sizes), "orders.yaml")
                .views()
                .get(0);
    }

    @ParameterizedTest(name = "{0} [{1}] seed={2}")
    @CsvSource(
            delimiter = '|',
            value = {"int64 | 1m | 1", "uuid | 1m, 4m | 2", "string | 2m, 3m | 3", "int64 | 5m | 4"})
    void read_whileWindowsFillAndLeave_isTheRecountOfTheFirstThatHasNotLeft(String type, String sizes, long seed)
            throws Exception {
        FeatureView view = view(type, sizes);
        Orders orders = new Orders(view, new Random(seed));
        LiveView keys = new LiveView(view);
        KeyedRowCodec packed = new KeyedRowCodec(view);
        KeyedOperator operator = new KeyedOperator(view, Long.MIN_VALUE, JOB, true);
        JobMetrics.View counted = JobMetrics.of(JOB).view(view.qualifiedName());
        long keysBefore = counted.liveKeys();
        long nanosBefore = counted.liveReadNanos();
        try (var harness = new LiveHarness<>(operator, KeyedShardBlock::recordKey, OutputItem.TYPE, JOB)) {
            long pane = 28_000_000;
            harness.watermark(pane * MINUTE);
            for (int i = 0; i < 40; i++) {
                harness.send(orders.block(pane));
                if (orders.random.nextInt(4) == 0) {
                    pane += 1 + orders.random.nextInt(2);
                    harness.watermark(pane * MINUTE + orders.random.nextInt((int) MINUTE));
                }
                List<Integer> asked =
                        orders.random.ints(50, 0, KEYS + 20).boxed().toList();
                List<LiveKey> request =
                        asked.stream().map(key -> keys.key(0, orders.key(key))).toList();

                List<LiveRow> rows = harness.read(keys, request);

                for (int k = 0; k < asked.size(); k++) {
                    check(rows.get(k), orders, asked.get(k), pane + 1, packed);
                }
            }
            harness.watermark(Long.MAX_VALUE); // the end of all input, after which no window is open
            LiveRow last =
                    harness.read(keys, List.of(keys.key(0, orders.key(0)))).get(0);
            assertThat(last.getStatus()).isEqualTo(LiveStatus.EMPTY);
            assertThat(last.hasWindowEndMs()).isFalse();
        }
        assertThat(counted.liveKeys() - keysBefore).isEqualTo(40 * 50 + 1);
        assertThat(counted.liveReadNanos()).isGreaterThan(nanosBefore);
    }

    private static void check(LiveRow live, Orders orders, int key, long end, KeyedRowCodec packed) {
        var expected = orders.naive.row(String.valueOf(key), end);
        assertThat(live.getWindowEndMs()).isEqualTo(end * MINUTE);
        assertThat(live.getStatus()).isEqualTo(expected.events() == 0 ? LiveStatus.EMPTY : LiveStatus.FOUND);
        if (expected.events() > 0) {
            StoredRow row = packed.decodeRow(live.getPacked().toByteArray());
            assertThat(row.finality()).isEqualTo(Finality.PARTIAL);
            assertThat(row.windowEndMs()).isEqualTo(end * MINUTE);
            assertThat(row.values().toString()).isEqualTo(expected.values().toString());
        }
    }

    /** Random orders, one shard at a time, with a plain recount. */
    private static final class Orders {
        private final Random random;
        private final KeyCodec codec;
        private final NaiveKeyed naive;

        Orders(FeatureView view, Random random) {
            this.random = random;
            this.codec = new KeyCodec(view);
            this.naive = new NaiveKeyed(KeyedPlan.of(view).spec());
        }

        List<Object> key(int number) {
            return switch (codec.form()) {
                case LONG -> List.of((long) number);
                case PAIR -> List.of(new UUID(7, number).toString());
                case BYTES -> List.of("merchant " + number);
            };
        }

        private int shard(int number) {
            List<Object> key = key(number);
            return Shards.of(
                    switch (codec.form()) {
                        case LONG -> KeyWord.of(codec.low(key));
                        case PAIR -> KeyWord.of(codec.high(key), codec.low(key));
                        case BYTES -> KeyWord.of(codec.bytes(key));
                    });
        }

        KeyedShardBlock block(long pane) {
            int shard = shard(random.nextInt(KEYS));
            List<Integer> numbers = new ArrayList<>();
            for (int number = 0; number < KEYS; number++) {
                if (shard(number) == shard) {
                    numbers.add(number);
                }
            }
            int events = 1 + random.nextInt(40);
            boolean bytes = codec.form() == KeyForm.BYTES;
            long[] high = new long[events];
            long[] low = new long[events];
            byte[][] keyBytes = new byte[events][];
            int[] at = new int[events];
            long[] panes = new long[events];
            long[] cents = new long[events];
            for (int e = 0; e < events; e++) {
                int number = numbers.get(random.nextInt(numbers.size()));
                List<Object> key = key(number);
                if (bytes) {
                    keyBytes[e] = codec.bytes(key);
                    at[e] = e;
                } else {
                    high[e] = codec.high(key);
                    low[e] = codec.low(key);
                }
                panes[e] = pane + random.nextInt(2);
                cents[e] = random.nextInt(10_000);
                naive.add(String.valueOf(number), panes[e], 0, cents[e]);
            }
            return new KeyedShardBlock(
                    shard,
                    new KeyedBlock(
                            codec.form() == KeyForm.PAIR ? high : null,
                            bytes ? null : low,
                            bytes ? keyBytes : null,
                            bytes ? at : null,
                            panes,
                            null,
                            new long[][] {cents}));
        }
    }
}
