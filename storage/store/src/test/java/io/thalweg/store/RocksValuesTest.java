package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** The cached values must match the folder's. */
class RocksValuesTest {
    /** Their values need three times as much memory as the cache has. */
    private static final int KEYS = 6_000;

    private static final int VALUE_BYTES = 2_000;
    /** How often two readers look on average. */
    private static final int LOOKS = 10_000;

    @TempDir
    Path folder;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(long number) {
        return ByteBuffer.allocate(VALUE_BYTES).putLong(number).array();
    }

    private static long number(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }

    private static List<byte[]> keys(Random random) {
        return random.ints(20, 0, KEYS).mapToObj(RocksValuesTest::key).toList();
    }

    @Test
    void newest_whileOneWrites_isNeverOlderThanWhatWasWrittenBefore() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (RocksFolder store = RocksFolder.open(folder);
                RocksValues values = new RocksValues(store, 4 << 20)) {
            AtomicLongArray written = new AtomicLongArray(KEYS);
            CountDownLatch looks = new CountDownLatch(2 * LOOKS);
            CompletableFuture<Void> writer =
                    CompletableFuture.runAsync(() -> write(store, values, written, looks), threads);
            List<CompletableFuture<Void>> readers = IntStream.range(0, 2)
                    .mapToObj(seed ->
                            CompletableFuture.runAsync(() -> read(values, written, seed, writer, looks), threads))
                    .toList();
            Await.get(writer);
            for (CompletableFuture<Void> reader : readers) {
                Await.get(reader);
            }
        } finally {
            threads.shutdown();
        }
    }

    /** Writes until enough was written and the readers have looked often enough. */
    private static void write(RocksFolder store, RocksValues values, AtomicLongArray written, CountDownLatch looks) {
        Random random = new Random(17);
        try {
            for (long number = 1; number <= 30_000 || looks.getCount() > 0; number++) {
                int key = random.nextInt(random.nextInt(KEYS) + 1);
                store.db().put(store.newest(), key(key), value(number));
                values.written(key(key), value(number));
                written.set(key, number);
            }
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads until the writer has ended. */
    private static void read(
            RocksValues values,
            AtomicLongArray written,
            int seed,
            CompletableFuture<Void> writer,
            CountDownLatch looks) {
        Random random = new Random(seed);
        while (!writer.isDone()) {
            List<byte[]> keys = keys(random);
            long[] atLeast = keys.stream()
                    .mapToLong(key -> written.get(ByteBuffer.wrap(key).getInt()))
                    .toArray();
            List<byte[]> found;
            try {
                found = values.newest(keys);
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
            for (int i = 0; i < atLeast.length; i++) {
                long number = found.get(i) == null ? 0 : number(found.get(i));
                assertThat(number).isGreaterThanOrEqualTo(atLeast[i]);
                looks.countDown();
            }
        }
    }

    @Test
    void newest_afterTheFolderWasChangedElsewhere_isReadAgainOnceForgotten() throws Exception {
        try (RocksFolder store = RocksFolder.open(folder);
                RocksValues values = new RocksValues(store, 4 << 20)) {
            store.db().put(store.newest(), key(1), value(1));
            assertThat(number(values.newest(List.of(key(1))).get(0))).isEqualTo(1);
            store.db().put(store.newest(), key(1), value(2));
            assertThat(number(values.newest(List.of(key(1))).get(0)))
                    .as("from memory")
                    .isEqualTo(1);

            values.forget();

            assertThat(number(values.newest(List.of(key(1))).get(0))).isEqualTo(2);
            assertThat(values.newest(List.of(key(2))).get(0)).isNull();
        }
    }
}
