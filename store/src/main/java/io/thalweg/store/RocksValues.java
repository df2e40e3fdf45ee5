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
 * The values of a RocksDB folder by their keys. Those of newest rows that were written or read last are in memory, too, because most reads
 * are of them, and every write replaces some: RocksDB takes several times as long to return a value, even from its own cache.
 *
 * <p><b>Threads.</b> Safe, except for {@link #close}. One thread at a time calls {@link #written} and {@link #removed}, right behind its
 * write to the folder.
 */
final class RocksValues implements AutoCloseable {
    private static final long MIB = 1L << 20;
    /** Holds the newest rows of more than five million cells of 54 features; takes no more memory than their values. */
    private static final long CACHE_BYTES = 256 * MIB;
    /** The JVM allows as much memory outside of the heap as in it, for all that is in the process. */
    private static final int PART_OF_HEAP = 8;

    private final RocksFolder folder;
    private final ReadOptions options = new ReadOptions();
    private final ValueCache cache;

    /** The values of a folder, with nothing in memory yet. */
    RocksValues(RocksFolder folder) {
        this(folder, Math.min(CACHE_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    /** The same with at most so many bytes in memory. */
    RocksValues(RocksFolder folder, long cacheBytes) {
        this.folder = folder;
        this.cache = new ValueCache(cacheBytes);
    }

    /** The values of keys of {@code newest}, null for each that has none. */
    List<byte @Nullable []> newest(List<byte[]> keys) throws RocksDBException {
        return newest(keys, true);
    }

    /** The same for keys whose values are about to be replaced. */
    List<byte @Nullable []> replaced(List<byte[]> keys) throws RocksDBException {
        return newest(keys, false);
    }

    /** The values of keys of {@code history}, null for each that has none. */
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
        return keys.isEmpty() // RocksDB asserts that there is one
                ? List.of()
                : folder.db().multiGetAsList(options, Collections.nCopies(keys.size(), family), keys);
    }

    /** Takes note of a value of {@code newest} that was written. */
    void written(byte[] key, byte[] value) {
        cache.put(key, value);
    }

    /** Takes note of a value of {@code newest} that was deleted. */
    void removed(byte[] key) {
        cache.remove(key);
    }

    /** Forgets what is in memory: the folder may have other values. */
    void forget() {
        cache.clear();
    }

    @Override
    public void close() {
        options.close();
    }
}
