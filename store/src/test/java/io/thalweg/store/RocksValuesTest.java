package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
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
        try (RocksFolder store = RocksFolder.open(folder);
                RocksValues values = new RocksValues(store, 4 << 20)) {
            AtomicLongArray written = new AtomicLongArray(KEYS);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(store, values, written));
            List<CompletableFuture<Long>> readers = IntStream.range(0, 2)
                    .mapToObj(seed -> CompletableFuture.supplyAsync(() -> read(values, written, seed, writer)))
                    .toList();
            writer.get();
            for (CompletableFuture<Long> reader : readers) {
                assertThat(reader.get()).isGreaterThan(1_000);
            }
        }
    }

    private static void write(RocksFolder store, RocksValues values, AtomicLongArray written) {
        Random random = new Random(17);
        try {
            for (long number = 1; number <= 100_000; number++) {
                int key = random.nextInt(random.nextInt(KEYS) + 1);
                store.db().put(store.newest(), key(key), value(number));
                values.written(key(key), value(number));
                written.set(key, number);
            }
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads until the writer has ended; returns how many values were read. */
    private static long read(RocksValues values, AtomicLongArray written, int seed, CompletableFuture<Void> writer) {
        Random random = new Random(seed);
        long looks = 0;
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
                looks++;
            }
        }
        return looks;
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
