package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.feast.FeastOrder;
import io.thalweg.feast.FeastValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.RowCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order rule as Redis implements it, compared with the codec's own. */
@SuppressWarnings("NullAway.Init")
class ScriptTest {
    @TempDir
    static Path folder;

    static RedisProcess server;
    static RedisClient client;

    @BeforeAll
    static void start() {
        server = RedisProcess.start(folder);
        client = RedisClient.create(server.uri().toString());
    }

    @AfterAll
    static void stop() {
        client.shutdown();
        server.close();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void writeRows_randomOrders_keepsWhatTheCodecKeeps(long seed) throws Exception {
        Random random = new Random(seed);
        HexRowCodec codec = new HexRowCodec(SmallView.VIEW);
        byte[] key = ("seed" + seed).getBytes(StandardCharsets.UTF_8);
        byte[] field = {'0'};
        try (var connection = client.connect(ByteArrayCodec.INSTANCE)) {
            RedisClusterAsyncCommands<byte[], byte[]> redis = connection.async();
            byte[] kept = null;
            for (int i = 0; i < 300; i++) {
                byte[] row = row(codec, random);
                boolean wins = kept == null || RowCodec.compareOrder(row, kept) > 0;
                kept = wins ? row : kept;

                long taken = Script.WRITE_ROWS
                        .call(redis, new byte[][] {key}, ascii("600000"), ascii("0"), field, row)
                        .toCompletableFuture()
                        .get();

                assertThat(taken).isEqualTo(wins ? 1 : 0);
                assertThat(connection.sync().hget(key, field)).isEqualTo(kept);
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void writeKeys_randomOrders_keepsWhatTheCodecKeeps(long seed) throws Exception {
        Random random = new Random(seed);
        HexRowCodec codec = new HexRowCodec(SmallView.VIEW);
        Map<Integer, byte[]> kept = new HashMap<>();
        try (var connection = client.connect(ByteArrayCodec.INSTANCE)) {
            for (int i = 0; i < 100; i++) {
                List<byte[]> keys = new ArrayList<>();
                List<byte[]> arguments = new ArrayList<>(List.of(ascii(Long.toString(SmallView.T0 - 600_000))));
                long wins = 0;
                for (int rows = 1 + random.nextInt(9); rows > 0; rows--) {
                    int key = random.nextInt(5);
                    byte[] row = row(codec, random);
                    byte[] before = kept.get(key);
                    if (before == null || RowCodec.compareOrder(row, before) > 0) {
                        kept.put(key, row);
                        wins++;
                    }
                    keys.add(ascii("seed" + seed + "key" + key));
                    arguments.add(ascii("600000"));
                    arguments.add(row);
                }

                long taken = Script.WRITE_KEYS
                        .call(connection.async(), keys.toArray(byte[][]::new), arguments.toArray(byte[][]::new))
                        .toCompletableFuture()
                        .get();

                assertThat(taken).isEqualTo(wins);
                for (byte[] key : keys) {
                    assertThat(connection.sync().get(key)).isEqualTo(kept.get(number(key)));
                    assertThat(connection.sync().pttl(key)).isBetween(500_000L, 600_000L + 2 * 255);
                }
            }
        }
    }

    /** Compares with a naive implementation of the rule: many keys and calls, mixed with Feast's own writes. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void writeFeast_randomOrders_keepsWhatTheRuleSays(long seed) throws Exception {
        Random random = new Random(seed);
        byte[] time = ascii("_ts:small");
        byte[] order = ascii("_order:small");
        Map<Integer, FeastRows> kept = new HashMap<>();
        try (var connection = client.connect(ByteArrayCodec.INSTANCE)) {
            for (int i = 0; i < 100; i++) {
                List<byte[]> keys = new ArrayList<>();
                List<byte[]> arguments = new ArrayList<>(List.of(ascii("3"), time, order, ascii("f")));
                long wins = 0;
                for (int rows = 1 + random.nextInt(9); rows > 0; rows--) {
                    int key = random.nextInt(5);
                    FeastOrder next = feastOrder(random);
                    byte[] feature = ascii(seed + " " + i + " " + rows);
                    if (kept.computeIfAbsent(key, unused -> new FeastRows()).take(next, feature)) {
                        wins++;
                    }
                    keys.add(ascii("feast" + seed + "key" + key));
                    arguments.addAll(List.of(
                            ascii("600000"), FeastValues.timestamp(next.windowEndMs()), next.encode(), feature));
                }

                long taken = Script.WRITE_FEAST
                        .call(connection.async(), keys.toArray(byte[][]::new), arguments.toArray(byte[][]::new))
                        .toCompletableFuture()
                        .get();

                assertThat(taken).isEqualTo(wins);
                for (byte[] key : keys) {
                    FeastRows row = Objects.requireNonNull(kept.get(number(key)));
                    assertThat(connection.sync().hmget(key, time, order, ascii("f")))
                            .extracting(KeyValue::getValue)
                            .containsExactly(
                                    FeastValues.timestamp(row.timeMs),
                                    Objects.requireNonNull(row.order).encode(),
                                    row.feature);
                    assertThat(connection.sync().pttl(key)).isBetween(500_000L, 600_000L);
                }
                // A Feast client pushes: it only compares the time.
                byte[] pushed = keys.get(0);
                FeastRows row = Objects.requireNonNull(kept.get(number(pushed)));
                row.timeMs += 255L * random.nextInt(2);
                connection.sync().hset(pushed, time, FeastValues.timestamp(row.timeMs));
            }
        }
    }

    /** The rows of a key, of which the winning one is kept. */
    private static final class FeastRows {
        private long timeMs = Long.MIN_VALUE;
        private @Nullable FeastOrder order;
        private byte[] feature = {};

        boolean take(FeastOrder next, byte[] value) {
            if (!wins(next)) {
                return false;
            }
            timeMs = next.windowEndMs();
            order = next;
            feature = value;
            return true;
        }

        private boolean wins(FeastOrder next) {
            if (next.windowEndMs() != timeMs) {
                return next.windowEndMs() > timeMs;
            }
            if (order == null || order.windowEndMs() != timeMs || order.shape() != next.shape()) {
                return true;
            }
            return Comparator.comparing(FeastOrder::finality)
                            .thenComparing(FeastOrder::sequence)
                            .compare(next, order)
                    > 0;
        }
    }

    private static FeastOrder feastOrder(Random random) {
        return new FeastOrder(
                SmallView.T0 + 255L * random.nextInt(4),
                random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL,
                random.nextInt(3) + ((1L << random.nextInt(50)) - 1),
                random.nextInt(8) == 0 ? 7 : 8,
                null);
    }

    /** Returns rows close to each other in all three, and with sequences of one to eight bytes. */
    private static byte[] row(HexRowCodec codec, Random random) {
        Finality finality = random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL;
        long sequence = random.nextInt(3) + ((1L << random.nextInt(53)) - 1);
        HexRowBlock block =
                SmallView.block(SmallView.T0 + 255L * random.nextInt(3), finality, SmallView.cell(random.nextInt(9)));
        return codec.encodeRow(block, 0, sequence);
    }

    /** Returns the number at the end of a key. */
    private static int number(byte[] key) {
        return key[key.length - 1] - '0';
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
