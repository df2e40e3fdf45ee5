package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.ReadRows;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract, and tests specific to Redis. */
class RedisOnlineStoreTest extends RedisServerContract {
    /** Returns all keys of rows of this test's store. */
    private List<byte[]> keys() {
        return redis.keys(project + ":*").stream()
                .filter(key -> !Arrays.equals(key, RedisKeys.places(project, "demand")))
                .toList();
    }

    @Test
    void write_neighbouringCells_standInOneReadableHash() {
        FeatureView view = latestOnly();
        store.write(
                view,
                List.of(block(view, T0, Finality.FINAL, cell(8), 1), block(view, T0, Finality.FINAL, cell(48), 2)));

        byte[] key = keys().get(0);

        assertThat(keys()).hasSize(1);
        assertThat(new String(key, StandardCharsets.ISO_8859_1)).startsWith(project + ":demand:872a00000ffffff:");
        assertThat(redis.hkeys(key))
                .extracting(field -> new String(field, StandardCharsets.US_ASCII))
                .containsExactlyInAnyOrder("11", "66", "newest");
    }

    @Test
    void write_keyLives_aMinuteLongerThanItsNewestRow() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        byte[] key = keys().get(0);
        assertThat(redis.pttl(key)).isBetween(10 * MINUTE, 11 * MINUTE);

        store.write(view, List.of(block(view, T0 + 5 * MINUTE, Finality.FINAL, cell(1), 1)));
        assertThat(redis.pttl(key)).isBetween(15 * MINUTE, 16 * MINUTE);

        store.write(view, List.of(block(view, T0 - 5 * MINUTE, Finality.FINAL, cell(2), 1)));
        assertThat(redis.pttl(key)).as("an older row takes nothing away").isBetween(15 * MINUTE, 16 * MINUTE);
    }

    @Test
    void write_besideRowsThatExpired_removesThem() {
        FeatureView view = latestOnly();
        store.write(
                view,
                List.of(block(view, T0, Finality.FINAL, cell(0), 1), block(view, T0, Finality.FINAL, cell(1), 1)));
        at(T0 + 11 * MINUTE);
        store.write(view, List.of(block(view, T0 + 11 * MINUTE, Finality.FINAL, cell(2), 1)));
        assertThat(redis.hkeys(keys().get(0))).hasSize(2);
    }

    @Test
    void write_wholeTileWithHistory_readsBackEveryRow() {
        FeatureView view = withHistory("1h");
        int rows = 16_807;
        long[] cells =
                IntStream.range(0, rows).mapToLong(RedisOnlineStoreTest::cell).toArray();
        long[] sums = IntStream.range(0, 4 * rows).mapToLong(i -> i % 1_000).toArray();
        store.write(view, List.of(tile(view, T0, cells, sums)));

        List<StoreKey> asked = new ArrayList<>(
                IntStream.range(0, rows).mapToObj(i -> key(cells[i])).toList());
        Collections.shuffle(asked, new Random(1));
        List<StoredRow> newest =
                store.read(view, asked).rows().stream().map(row -> present(row)).toList();
        List<StoredRow> past = store.readAsOf(view, asked, T0 + 1).rows().stream()
                .map(row -> present(row))
                .toList();

        assertThat(keys()).hasSize(2 * 343);
        for (int i = 0; i < rows; i++) {
            int n = Arrays.binarySearch(cells, asked.get(i).cell());
            long[] expected = Arrays.copyOfRange(sums, 4 * n, 4 * n + 4);
            assertThat(sums(newest.get(i))).containsExactly(expected);
            assertThat(sums(past.get(i))).containsExactly(expected);
        }
    }

    private static HexRowBlock tile(FeatureView view, long windowEndMs, long[] cells, long[] sums) {
        return new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, windowEndMs),
                0x852a1007fffffffL,
                key(0).group(),
                cells,
                sums,
                null);
    }

    /** Newer whole hashes take a shortcut; older ones, partial ones, and later writes to those must not. */
    @Test
    void write_wholeHashesInAnyOrder_keepsTheNewestOfEachCell() {
        FeatureView view = latestOnly();
        long[] cells =
                IntStream.range(0, 98).mapToLong(RedisOnlineStoreTest::cell).toArray();
        long[] some = Arrays.copyOf(cells, 60);
        for (int minute : new int[] {0, 1, 3, 2, 3}) {
            store.write(view, List.of(tile(view, T0 + minute * MINUTE, cells, filled(98, minute))));
        }
        store.write(view, List.of(tile(view, T0 + 5 * MINUTE, some, filled(60, 5))));
        store.write(view, List.of(tile(view, T0 + 4 * MINUTE, cells, filled(98, 4))));

        List<StoredRow> rows =
                store
                        .read(
                                view,
                                Arrays.stream(cells).mapToObj(cell -> key(cell)).toList())
                        .rows()
                        .stream()
                        .map(row -> present(row))
                        .toList();

        for (int i = 0; i < 98; i++) {
            int minute = i < 60 ? 5 : 4;
            assertThat(rows.get(i).windowEndMs()).isEqualTo(T0 + minute * MINUTE);
            assertThat(sums(rows.get(i))).containsOnly(minute);
        }
    }

    private static long[] filled(int rows, int sum) {
        long[] sums = new long[4 * rows];
        Arrays.fill(sums, sum);
        return sums;
    }

    @Test
    void write_someKeysOfAnotherType_saysSoAndHasWrittenTheOthers() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        byte[] key = keys().get(0);
        redis.set(key, new byte[] {1});
        List<HexRowBlock> blocks = IntStream.range(0, 100)
                .mapToObj(i -> block(view, T0, Finality.FINAL, cell(49 * i), i))
                .toList();

        assertThatThrownBy(() -> store.write(view, blocks))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("127.0.0.1:" + server.port())
                .hasMessageContaining("WRONGTYPE")
                .hasMessageContaining("store.project");
        ReadRows read = store.read(view, List.of(key(cell(0)), key(cell(49))));
        assertThat(read.unreadable()).containsOnlyKeys(0);
        assertThat(read.unreadable().get(0)).contains("WRONGTYPE");
        assertThat(sums(read.rows().get(1))[0]).isEqualTo(1);

        redis.del(key);
        store.write(view, blocks);
        for (int i = 0; i < 100; i++) {
            assertThat(sums(readOne(view, cell(49 * i)))[0]).isEqualTo(i);
        }
    }

    /** MGET returns such a key as absent. */
    @Test
    void read_keyedRowsOneOfWhoseKeysIsOfAnotherType_answersThatOneAsUnreadable() {
        FeatureView view = keyed(null);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 1, "a", "b")));
        RedisKeys names = new RedisKeys(project, view);
        byte[] key = names.newest(names.group(keyOf("a").group()));
        redis.del(key);
        redis.rpush(key, new byte[] {1});

        ReadRows read = store.read(view, List.of(keyOf("b"), keyOf("a"), keyOf("none"), keyOf("a")));

        assertThat(read.unreadable()).containsOnlyKeys(1, 3);
        assertThat(read.unreadable().get(1)).contains("WRONGTYPE");
        assertThat(read.rows().get(0)).isNotNull();
        assertThat(read.rows().get(2)).isNull();
    }

    @Test
    void write_scriptsForgotten_loadsThemAgain() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        redis.scriptFlush();
        store.write(view, List.of(block(view, T0 + MINUTE, Finality.FINAL, cell(0), 2)));
        redis.scriptFlush();
        store.writeProgress(new Progress("demand", 0, 1, T0));
        assertThat(sums(readOne(view, cell(0)))[0]).isEqualTo(2);
        assertThat(store.watermark("demand")).hasValue(T0);
    }

    @Test
    void write_serverOutOfMemory_saysWhatToDoAndGoesOnOnceThereIsSome() {
        FeatureView view = latestOnly();
        redis.configSet("maxmemory", "1mb");
        redis.configSet("maxmemory-policy", "noeviction");
        try {
            List<HexRowBlock> blocks = IntStream.range(0, 2_000)
                    .mapToObj(i -> block(view, T0, Finality.FINAL, cell(i), i))
                    .toList();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            store.write(view("memory" + i, null), renamed(blocks, "memory" + i));
                        }
                    })
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("OOM")
                    .hasMessageContaining("maxmemory");
        } finally {
            redis.configSet("maxmemory", "0");
        }
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 3)));
        assertThat(sums(readOne(view, cell(0)))[0]).isEqualTo(3);
    }

    private List<HexRowBlock> renamed(List<HexRowBlock> blocks, String view) {
        return blocks.stream()
                .map(block -> block(view(view, null), T0, Finality.FINAL, block.cells()[0], 1))
                .toList();
    }

    /**
     * Two processes that write the same keys out of order end in the same state as one: the server compares and writes
     * atomically.
     */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_byTwoStoresAtOnce_endsInTheSameState(long seed) throws Exception {
        FeatureView view = latestOnly();
        Random random = new Random(seed);
        List<HexRowBlock> blocks = new ArrayList<>();
        for (int minute = 0; minute < 40; minute++) {
            for (int i = 0; i < 10; i++) {
                blocks.add(block(view, T0 + minute * MINUTE, Finality.FINAL, cell(i), minute));
            }
        }
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (OnlineStore other = open(clock)) {
            List<Future<?>> writers = new ArrayList<>();
            for (OnlineStore each : List.of(store, other)) {
                List<HexRowBlock> shuffled = new ArrayList<>(blocks);
                Collections.shuffle(shuffled, random);
                writers.add(threads.submit(() -> {
                    for (int from = 0; from < shuffled.size(); from += 20) {
                        each.write(view, shuffled.subList(from, from + 20));
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        } finally {
            threads.shutdownNow();
        }
        for (int i = 0; i < 10; i++) {
            StoredRow row = present(readOne(view, cell(i)));
            assertThat(row.windowEndMs()).isEqualTo(T0 + 39 * MINUTE);
            assertThat(sums(row)[0]).isEqualTo(39);
        }
    }

    @Test
    void open_otherProject_seesNothing() {
        FeatureView view = latestOnly();
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        store.writeProgress(new Progress("demand", 0, 1, T0));
        try (OnlineStore other = RedisOnlineStore.open(server.uri(), project + "2", clock)) {
            assertThat(other.read(view, List.of(key(cell(0)))).rows()).containsExactly((StoredRow) null);
            assertThat(other.watermark("demand")).isEmpty();
        }
    }

    @Test
    void open_databaseOfItsOwn_keepsItsRowsThere() {
        FeatureView view = latestOnly();
        URI second = server.uri().resolve("/2");
        try (OnlineStore other = RedisOnlineStore.open(second, project, clock)) {
            other.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
            assertThat(readOne(view, cell(0))).isNull();
            assertThat(other.read(view, List.of(key(cell(0)))).rows().get(0)).isNotNull();
        }
    }
}
