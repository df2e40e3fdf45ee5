package io.thalweg.store;

import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The embedded store: a RocksDB folder that belongs to one process. Within a process, share it through {@link Stores}.
 *
 * <p><b>Disk.</b> The newest row of each key is overwritten in place. With history, every row is also kept under its window end,
 * time first: rows arrive in key order, and all expired rows form one range, whose files are dropped whole. So the disk holds
 * {@code rows per window end × (ttl + history) / every} history rows and one row per key seen within {@code ttl + history} of its
 * bundle's newest, plus the backlog of the sweep and of compaction. A thread sweeps once a second, at most {@value
 * RocksSweep#KEYS} bundles a time.
 *
 * <p><b>Memory.</b> The most recently written or read newest rows are cached off-heap, up to 256 MiB.
 *
 * <p><b>Crash.</b> A killed process loses no completed write; a crashed machine loses nothing written before {@link #flush}.
 *
 * <p><b>Full disk.</b> Writes fail with {@link StoreException.Kind#PASSING}, reads continue, and no completed write is lost. The
 * first write that finds room again reopens the folder, and all other calls wait while it opens: at most some seconds.
 *
 * <p><b>Threads.</b> Safe. Reads and writes run concurrently; {@link #close} waits for calls in progress.
 */
public final class RocksDbOnlineStore implements OnlineStore {
    // Read-modify-write must be atomic, so one thread writes at a time; the sweep counts as a writer.

    private static final Logger LOG = LoggerFactory.getLogger(RocksDbOnlineStore.class);
    /** Beyond this many, listing all tiles of a view is cheaper. */
    private static final int TILES_ONE_BY_ONE = 64;

    private final RocksFolder folder;
    private final RocksValues values;
    private final RocksMeta meta;
    private final RocksSweep sweep;
    private final Clock clock;
    private final WriteOptions writeOptions = new WriteOptions();
    private final ReadWriteLock use = new ReentrantReadWriteLock();
    private final Lock writing = new ReentrantLock();
    private final PerView<RocksReads.Form> forms = new PerView<>(RocksReads.Form::of);
    private final LongAdder expiredRows = new LongAdder();
    private final Sweeper sweeper;
    private volatile boolean full;
    /** The error of the first call that found the disk full; later calls only see its consequences. */
    private volatile @Nullable RocksDBException fullCause;

    private boolean closed;

    private RocksDbOnlineStore(RocksFolder folder, Clock clock) {
        this.folder = folder;
        this.values = new RocksValues(folder);
        this.meta = RocksMeta.load(folder);
        this.sweep = new RocksSweep(folder, values, meta);
        this.clock = clock;
        this.sweeper = new Sweeper(this::sweep);
    }

    /**
     * Opens the store in a folder, creating it if there is none, and takes its lock.
     *
     * @param clock decides what has expired
     * @throws StoreException if the path is a file, cannot be read and written, is in use by another process, or holds
     *     another version's data; the message names the remedy
     */
    public static RocksDbOnlineStore open(Path path, Clock clock) {
        RocksDbOnlineStore store = new RocksDbOnlineStore(RocksFolder.open(path), clock);
        store.sweeper.start();
        return store;
    }

    @Override
    public void write(FeatureView view, List<? extends RowBlock> blocks) {
        Layouts.requirePacked(view, "rocksdb");
        changing("writing rows of " + view.qualifiedName(), () -> {
            Retention retention = meta.remember(view);
            RocksLayout layout = RocksLayout.of(view);
            RowKeys keys = new RowKeys(view);
            long oldestMs = retention.oldestMs(clock.millis());
            for (RowBlock block : blocks) {
                OnlineStore.requireView(view, block);
                if (block.windowEndMs() < oldestMs) {
                    expiredRows.add(block.rows());
                } else {
                    write(block, layout, keys, retention.keepsHistory(), oldestMs);
                }
            }
        });
    }

    /** Writes a block as one batch. */
    private void write(RowBlock block, RocksLayout layout, RowKeys keys, boolean history, long oldestMs)
            throws RocksDBException {
        List<byte[]> newestKeys = new ArrayList<>();
        List<byte[]> historyKeys = new ArrayList<>();
        List<byte[]> arrived = new ArrayList<>();
        layout.encode(block, (address, value) -> {
            newestKeys.add(keys.newest(address));
            if (history) {
                historyKeys.add(keys.history(block.windowEndMs(), address));
            }
            arrived.add(value);
        });
        writing.lock();
        try (WriteBatch batch = new WriteBatch()) {
            List<byte @Nullable []> written =
                    put(folder.newest(), newestKeys, values.replaced(newestKeys), arrived, layout, oldestMs, batch);
            put(folder.history(), historyKeys, values.history(historyKeys), arrived, layout, oldestMs, batch);
            folder.db().write(writeOptions, batch);
            for (int i = 0; i < written.size(); i++) {
                byte[] value = written.get(i);
                if (value != null) {
                    values.written(newestKeys.get(i), value);
                }
            }
        } catch (RocksDBException e) {
            values.forget(); // the batch may or may not have been written
            throw e;
        } finally {
            writing.unlock();
        }
    }

    /**
     * Merges each arriving value with the stored one, and adds the results to a batch. No key occurs twice.
     *
     * @return the values put, null for each key whose value is unchanged
     */
    private static List<byte @Nullable []> put(
            ColumnFamilyHandle family,
            List<byte[]> keys,
            List<byte @Nullable []> kept,
            List<byte[]> arrived,
            RocksLayout layout,
            long oldestMs,
            WriteBatch batch)
            throws RocksDBException {
        List<byte @Nullable []> put = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            byte[] before = kept.get(i);
            byte[] after = before == null ? arrived.get(i) : merge(layout, before, arrived.get(i), oldestMs);
            if (after != before) {
                batch.put(family, keys.get(i), after);
            }
            put.add(after == before ? null : after);
        }
        return put;
    }

    /** A value that cannot be decoded cannot be ordered, so the arriving value replaces it. */
    private static byte[] merge(RocksLayout layout, byte[] kept, byte[] arrived, long oldestMs) {
        try {
            return layout.merge(kept, arrived, oldestMs);
        } catch (IllegalArgumentException e) {
            return arrived;
        }
    }

    @Override
    public void writeProgress(Progress record) {
        if (record.shard() < 0 || record.shard() >= record.shards()) {
            throw new IllegalArgumentException("progress.shard must be from 0 to shards - 1, was " + record);
        }
        changing("writing progress of " + record.view(), () -> {
            meta.record(record);
        });
    }

    @Override
    public void flush() {
        changing("syncing", () -> {
            folder.db().syncWal();
        });
    }

    @Override
    public ReadRows read(FeatureView view, List<StoreKey> keys) {
        Layouts.requirePacked(view, "rocksdb");
        OptionalLong watermarkMs = watermark(view.qualifiedName());
        return using(
                "reading rows of " + view.qualifiedName(),
                () -> reads(view, keys).newest().found(watermarkMs));
    }

    @Override
    public ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        WindowEnds ends = WindowEnds.asOf(view, asOfMs, Retention.of(view).oldestMs(clock.millis()));
        return view.isKeyed()
                ? KeyedAsOf.read(keys, ends, all -> read(view, all), some -> readAsOf(view, some, ends))
                : readAsOf(view, keys, ends);
    }

    private ReadRows readAsOf(FeatureView view, List<StoreKey> keys, WindowEnds ends) {
        OptionalLong watermarkMs = watermark(view.qualifiedName());
        return using(
                "reading rows of " + view.qualifiedName(),
                () -> reads(view, keys).asOf(ends).found(watermarkMs));
    }

    @Override
    public ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs) {
        OnlineStore.requireHistoryOfCells(view);
        OptionalLong watermarkMs = watermark(view.qualifiedName());
        return using(
                "reading rows of " + view.qualifiedName(),
                () -> reads(view, Collections.nCopies(endsMs.length, key))
                        .at(endsMs)
                        .found(watermarkMs));
    }

    @Override
    public void scan(FeatureView view, long[] cells, List<Object> group, OptionalLong asOfMs, ScannedRows rows) {
        Layouts.requirePacked(view, "rocksdb");
        RocksScan scan = RocksScan.of(view, cells, group, asOfMs, clock.millis());
        while (scan.hasNext()) {
            List<byte @Nullable []> bundles =
                    using("scanning rows of " + view.qualifiedName(), () -> scan.fetch(values));
            scan.handOver(bundles, rows);
        }
    }

    @Override
    public List<Coverage> coverage(FeatureView view) {
        return coverage(view, RocksCoverage::all);
    }

    @Override
    public List<Coverage> coverage(FeatureView view, long[] tiles) {
        if (tiles.length > TILES_ONE_BY_ONE) {
            return OnlineStore.super.coverage(view, tiles);
        }
        return LongStream.of(tiles)
                .boxed()
                .flatMap(tile -> coverage(view, (coverage, rows) -> coverage.of(tile, rows)).stream())
                .toList();
    }

    private List<Coverage> coverage(FeatureView view, BiFunction<RocksCoverage, RocksIterator, List<Coverage>> look) {
        Layouts.requirePacked(view, "rocksdb");
        RocksCoverage coverage = new RocksCoverage(view, Retention.of(view).oldestMs(clock.millis()));
        return using("listing tiles of " + view.qualifiedName(), () -> {
            try (RocksIterator rows = folder.db().newIterator(folder.newest())) {
                List<Coverage> found = look.apply(coverage, rows);
                rows.status();
                return found;
            }
        });
    }

    /** Reads keys in the order of their bytes. */
    @Override
    public List<List<Object>> exampleKeys(FeatureView view, String prefix, int most) {
        ExampleKeys keys = new ExampleKeys(view, prefix, most);
        byte[] first = new RowKeys(view).newest(new byte[0]);
        return using("listing keys of " + view.qualifiedName(), () -> {
            try (RocksIterator rows = folder.db().newIterator(folder.newest())) {
                for (rows.seek(first); keys.isOpen() && rows.isValid(); rows.next()) {
                    byte[] key = rows.key();
                    if (Arrays.mismatch(first, key) != first.length) {
                        break; // the next view
                    }
                    keys.add(Arrays.copyOfRange(key, first.length, key.length));
                }
                rows.status();
            }
            return keys.found();
        });
    }

    private RocksReads reads(FeatureView view, List<StoreKey> keys) {
        return new RocksReads(values, view, forms.of(view), keys, clock.millis());
    }

    @Override
    public OptionalLong watermark(String view) {
        return meta.watermark(view);
    }

    @Override
    public Optional<String> alias(String name) {
        return meta.alias(name);
    }

    @Override
    public void setAlias(String name, String view) {
        changing("setting the alias " + name, () -> meta.setAlias(name, view));
    }

    @Override
    public Path backup(String name) {
        Path target = RocksBackup.place(folder.path(), name);
        backupTo(target);
        return target;
    }

    /**
     * Copies a consistent snapshot of the store into a new folder. On the store's own file system, files are only
     * linked.
     *
     * @throws IllegalArgumentException if the folder exists
     * @throws StoreException if it cannot be created
     */
    public void backupTo(Path target) {
        RocksBackup.requireNew(target);
        changing("copying the store to " + target, () -> {
            try (Checkpoint checkpoint = Checkpoint.create(folder.db())) {
                checkpoint.createCheckpoint(target.toAbsolutePath().toString());
            }
        });
    }

    @Override
    public long expiredRows() {
        return expiredRows.sum();
    }

    /** Removes expired rows in one bounded step. */
    void sweep() {
        changing("removing expired rows", () -> {
            long nowMs = clock.millis();
            sweep.history(nowMs);
            writing.lock();
            try {
                sweep.newest(nowMs, writeOptions);
            } finally {
                writing.unlock();
            }
        });
    }

    /** Counts the rows on disk one by one, whether readable or not: for tests. */
    long rowsKept() {
        return using("counting", () -> count(folder.newest()) + count(folder.history()));
    }

    private long count(ColumnFamilyHandle family) {
        long rows = 0;
        try (RocksIterator each = folder.db().newIterator(family)) {
            for (each.seekToFirst(); each.isValid(); each.next()) {
                rows += RocksLayout.rows(each.value());
            }
        }
        return rows;
    }

    @Override
    public void close() {
        sweeper.close();
        endStalls();
        Lock lock = use.writeLock();
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                full = false;
                folder.close();
                writeOptions.close();
                values.close();
            }
        } finally {
            lock.unlock();
        }
    }

    /** RocksDB stalls a writer while compactions lag behind: on a disk too full for them without end. */
    private void endStalls() {
        Lock lock = use.readLock();
        lock.lock();
        try {
            if (!closed && folder.isOpen()) {
                folder.db().cancelAllBackgroundWork(false);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Native handles must not be touched once freed, so every use blocks {@link #close}. */
    private <T> T using(String doing, Work<T> work) {
        Lock lock = use.readLock();
        lock.lock();
        try {
            requireOpen(doing);
            return work.run();
        } catch (RocksDBException e) {
            throw folder.failure(doing, e);
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen(String doing) {
        if (closed) {
            throw new StoreException("the store is closed, it cannot go on " + doing);
        }
    }

    /** Runs an operation that needs room on disk. After the disk was full, RocksDB is not called before it is reopened. */
    private void changing(String doing, Act act) {
        if (full) {
            recover(doing);
        }
        doing(doing, () -> {
            try {
                act.run();
            } catch (RocksDBException e) {
                if (!full && !folder.isFull(e)) {
                    throw e;
                }
                fullCause = full ? fullCause : e;
                full = true;
                throw folder.full(doing, fullCause);
            }
        });
    }

    private void recover(String doing) {
        if (!folder.hasRoom()) {
            throw folder.full(doing, fullCause);
        }
        Lock lock = use.writeLock();
        lock.lock();
        try {
            requireOpen(doing);
            if (full) {
                folder.reopen();
                values.forget(); // the log may hold what a failed write left in it
                full = false;
                LOG.info("{} has room again and is written", folder);
            }
        } finally {
            lock.unlock();
        }
    }

    private void doing(String doing, Act act) {
        boolean unused = using(doing, () -> {
            act.run();
            return true;
        });
    }

    private interface Work<T> {
        T run() throws RocksDBException;
    }

    private interface Act {
        void run() throws RocksDBException;
    }
}
