package io.thalweg.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;

/**
 * The values of a RocksDB folder by key. The most recently written or read newest rows are also cached off-heap, because most
 * reads need them and every write replaces some: RocksDB takes several times as long to return a value, even from its own
 * cache.
 *
 * <p><b>Threads.</b> Safe, except for {@link #close}. One thread at a time calls {@link #written} and {@link #removed}, right
 * after its write to the folder.
 */
final class RocksValues implements AutoCloseable {
    private static final long MIB = 1L << 20;
    /** Fits the newest rows of more than five million cells of 54 features; uses no more memory than their values. */
    private static final long CACHE_BYTES = 256 * MIB;
    /** The JVM allows as much direct memory as heap, for the whole process. */
    private static final int PART_OF_HEAP = 8;

    private final RocksFolder folder;
    private final ReadOptions options = new ReadOptions();
    private final ValueCache cache;

    /** Creates the values of a folder, with an empty cache. */
    RocksValues(RocksFolder folder) {
        this(folder, Math.min(CACHE_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    /** Creates the values of a folder, with at most this many cached bytes. */
    RocksValues(RocksFolder folder, long cacheBytes) {
        this.folder = folder;
        this.cache = new ValueCache(cacheBytes);
    }

    /** Returns the values of keys of {@code newest}, null for each that has none. */
    List<byte @Nullable []> newest(List<byte[]> keys) throws RocksDBException {
        return newest(keys, true);
    }

    /** Returns the same for keys whose values are about to be replaced; these values are not cached. */
    List<byte @Nullable []> replaced(List<byte[]> keys) throws RocksDBException {
        return newest(keys, false);
    }

    /** Returns the values of keys of {@code history}, null for each that has none. */
    List<byte @Nullable []> history(List<byte[]> keys) throws RocksDBException {
        return fetch(folder.history(), keys);
    }

    private List<byte @Nullable []> newest(List<byte[]> keys, boolean remember) throws RocksDBException {
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        keys.forEach(key -> values.add(cache.get(key)));
        int[] absent = IntStream.range(0, values.size())
                .filter(i -> values.get(i) == null)
                .toArray();
        long[] versions =
                IntStream.of(absent).mapToLong(i -> cache.version(keys.get(i))).toArray();
        List<byte @Nullable []> fetched =
                fetch(folder.newest(), IntStream.of(absent).mapToObj(keys::get).toList());
        for (int i = 0; i < absent.length; i++) {
            byte[] value = fetched.get(i);
            if (value != null) {
                values.set(absent[i], value);
                if (remember) {
                    cache.putUnlessChanged(keys.get(absent[i]), value, versions[i]);
                }
            }
        }
        return values;
    }

    private List<byte @Nullable []> fetch(ColumnFamilyHandle family, List<byte[]> keys) throws RocksDBException {
        return keys.isEmpty() // RocksDB asserts at least one key
                ? List.of()
                : folder.db().multiGetAsList(options, Collections.nCopies(keys.size(), family), keys);
    }

    /** Caches a value of {@code newest} that was written. */
    void written(byte[] key, byte[] value) {
        cache.put(key, value);
    }

    /** Drops a value of {@code newest} that was deleted. */
    void removed(byte[] key) {
        cache.remove(key);
    }

    /** Clears the cache: the folder may contain other values. */
    void forget() {
        cache.clear();
    }

    @Override
    public void close() {
        options.close();
    }
}
