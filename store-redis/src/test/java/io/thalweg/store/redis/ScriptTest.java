package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.model.Finality;
import io.thalweg.model.PackedRows;
import io.thalweg.model.RowBlock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order rule as Redis keeps it, against the codec's own. */
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
        PackedRows codec = new PackedRows(SmallView.VIEW);
        byte[] key = ("seed" + seed).getBytes(StandardCharsets.UTF_8);
        byte[] field = {'0'};
        try (var connection = client.connect(ByteArrayCodec.INSTANCE)) {
            RedisClusterAsyncCommands<byte[], byte[]> redis = connection.async();
            byte[] kept = null;
            for (int i = 0; i < 300; i++) {
                byte[] row = row(codec, random);
                boolean wins = kept == null || PackedRows.compareOrder(row, kept) > 0;
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
        PackedRows codec = new PackedRows(SmallView.VIEW);
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
                    if (before == null || PackedRows.compareOrder(row, before) > 0) {
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
                    int number = key[key.length - 1] - '0';
                    assertThat(connection.sync().get(key)).isEqualTo(kept.get(number));
                    assertThat(connection.sync().pttl(key)).isBetween(500_000L, 600_000L + 2 * 255);
                }
            }
        }
    }

    /** Near each other in all three, and with sequences of one to eight bytes. */
    private static byte[] row(PackedRows codec, Random random) {
        Finality finality = random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL;
        long sequence = random.nextInt(3) + ((1L << random.nextInt(53)) - 1);
        RowBlock block =
                SmallView.block(SmallView.T0 + 255L * random.nextInt(3), finality, SmallView.cell(random.nextInt(9)));
        return codec.encodeRow(block, 0, sequence);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
