package io.thalweg.store;

import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyCodec;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.PackedBundles;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.PackedRows;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;
import io.thalweg.model.StoredRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The embedded store: a RocksDB folder that belongs to one process. Within a process, share it through {@link Stores}.
 *
 * <p><b>Disk.</b> The newest row of each key is overwritten in place. With history, every row is also kept under its window
 * end, time first: rows arrive in key order, and all that expired is one range, whose files are dropped whole. So the disk
 * holds {@code rows per window end × (ttl + history) / every} history rows and one row per key seen within {@code ttl +
 * history} of its bundle's newest, plus what one sweep and the compaction lag behind. A thread sweeps once a second, at most
 * {@value #SWEEP_KEYS} bundles a time.
 *
 * <p><b>Crash.</b> A killed process loses nothing that a call had written; a crashed machine nothing before {@link #flush}.
 *
 * <p><b>Full disk.</b> Calls that write fail with {@link StoreException.Kind#PASSING}, those that read go on, and nothing that a
 * call had written is lost. The first call to write that finds room again opens the folder anew, for which all others wait: as
 * long as opening takes, at most some seconds.
 *
 * <p><b>Threads.</b> Safe; reads and writes run side by side, {@link #close} waits for those under way.
 */
public final class RocksDbOnlineStore implements OnlineStore {
    /*
     * A bundle holds the newest rows of up to 343 neighbouring cells of one group. Nearly all of a neighbourhood's rows arrive
     * together, so a write reads, merges and writes one value where it would write some hundred; with a merge operator that
     * needs no read, RocksDB's own work for so many values took more time than everything else in the process. Keyed views have
     * no neighbourhoods: a value per key.
     *
     * Reading and writing again must not be torn apart, so one thread writes at a time; the sweep is one, too.
     */
    static final int SWEEP_KEYS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(RocksDbOnlineStore.class);
    private static final long SWEEP_STEP_MS = 60_000;
    private static final int MOST_ENDS = 64;

    private final RocksFolder folder;
    private final Clock clock;
    private final WriteOptions writeOptions = new WriteOptions();
    private final ReadOptions readOptions = new ReadOptions();
    private final ReadWriteLock use = new ReentrantReadWriteLock();
    private final Lock writing = new ReentrantLock();
    private final Map<String, Retention> retentions = new ConcurrentHashMap<>();
    private final Map<String, ProgressBook> progress = new ConcurrentHashMap<>();
    private final Map<String, Long> historySweptMs = new ConcurrentHashMap<>();
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    private final LongAdder expiredRows = new LongAdder();
    private final Sweeper sweeper;
    private byte @Nullable [] sweepCursor = new byte[0];
    private long sweepAgainMs = Long.MIN_VALUE;
    private volatile boolean full;
    private boolean closed;

    private RocksDbOnlineStore(RocksFolder folder, Clock clock) {
        this.folder = folder;
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
        store.loadMeta();
        store.sweeper.start();
        return store;
    }

    private void loadMeta() {
        try (RocksIterator entries = folder.db().newIterator(folder.meta())) {
            for (entries.seekToFirst(); entries.isValid(); entries.next()) {
                byte[] key = entries.key();
                switch (key[0]) {
                    case 'r' -> retentions.put(text(key, key.length), Retention.decode(entries.value()));
                    case 'p' -> loadProgress(key, entries.value());
                    default -> {} // the format, checked when the folder was opened
                }
            }
        }
    }

    private void loadProgress(byte[] key, byte[] value) {
        int shardAt = key.length - Integer.BYTES;
        int shard = ByteBuffer.wrap(key).getInt(shardAt);
        ByteBuffer in = ByteBuffer.wrap(value);
        int shards = in.getInt();
        String view = text(key, shardAt - 1);
        progress.computeIfAbsent(view, name -> new ProgressBook(shards))
                .record(new Progress(view, shard, shards, in.getLong()));
    }

    private static String text(byte[] key, int end) {
        return new String(key, 1, end - 1, StandardCharsets.UTF_8);
    }

    @Override
    public void write(FeatureView view, List<RowBlock> blocks) {
        Layouts.requirePacked(view, "rocksdb");
        changing("writing rows of " + view.qualifiedName(), () -> {
            Retention retention = remember(view);
            BundleWriter bundles = new BundleWriter(view, retention.keepsHistory(), retention.oldestMs(clock.millis()));
            for (RowBlock block : blocks) {
                requireView(view, block.view());
                bundles.write(block);
            }
        });
    }

    @Override
    public void writeKeyed(FeatureView view, List<KeyedRowBlock> blocks) {
        Layouts.requirePacked(view, "rocksdb");
        changing("writing rows of " + view.qualifiedName(), () -> {
            Retention retention = remember(view);
            long oldestMs = retention.oldestMs(clock.millis());
            for (KeyedRowBlock block : blocks) {
                requireView(view, block.view());
                if (block.windowEndMs() < oldestMs) {
                    expiredRows.add(block.rows());
                } else {
                    write(view, block, retention.keepsHistory());
                }
            }
        });
    }

    private void write(FeatureView view, KeyedRowBlock block, boolean history) throws RocksDBException {
        RowKeys rowKeys = new RowKeys(view);
        KeyCodec keys = new KeyCodec(view);
        PackedKeyedRows codec = new PackedKeyedRows(view);
        List<byte[]> newestKeys = new ArrayList<>(block.rows());
        List<byte[]> historyKeys = new ArrayList<>();
        List<byte[]> values = new ArrayList<>(block.rows());
        for (int row = 0; row < block.rows(); row++) {
            byte[] key = block.keyBytes(keys, row);
            newestKeys.add(rowKeys.newest(key));
            if (history) {
                historyKeys.add(rowKeys.history(block.windowEndMs(), key));
            }
            values.add(codec.encodeRow(block, row));
        }
        put(
                newestKeys,
                historyKeys,
                values,
                (kept, arrived) -> PackedRows.compareOrder(arrived, kept) > 0 ? arrived : kept);
    }

    private static void requireView(FeatureView view, String blocks) {
        if (!blocks.equals(view.qualifiedName())) {
            throw new IllegalArgumentException(
                    "a block of view '" + blocks + "' cannot be written as view '" + view.qualifiedName() + "'");
        }
    }

    /** What becomes of a value that is there, and one that comes; {@code kept} itself where it stays. */
    private interface Merge {
        byte[] of(byte[] kept, byte[] arrived);
    }

    /** Reads, merges and writes values as one batch; no key twice. Without history there are no history keys. */
    private void put(List<byte[]> newestKeys, List<byte[]> historyKeys, List<byte[]> values, Merge merge)
            throws RocksDBException {
        writing.lock();
        try (WriteBatch batch = new WriteBatch()) {
            put(folder.newest(), newestKeys, values, merge, batch);
            put(folder.history(), historyKeys, values, merge, batch);
            folder.db().write(writeOptions, batch);
        } finally {
            writing.unlock();
        }
    }

    private void put(ColumnFamilyHandle family, List<byte[]> keys, List<byte[]> values, Merge merge, WriteBatch batch)
            throws RocksDBException {
        if (keys.isEmpty()) {
            return; // RocksDB asserts that there is one
        }
        List<byte[]> kept = folder.db().multiGetAsList(readOptions, Collections.nCopies(keys.size(), family), keys);
        for (int i = 0; i < keys.size(); i++) {
            byte[] before = kept.get(i);
            byte[] after = before == null ? values.get(i) : merge.of(before, values.get(i));
            if (after != before) {
                batch.put(family, keys.get(i), after);
            }
        }
    }

    /** Expiry must go on for views that nobody writes any more, also after a restart. */
    private Retention remember(FeatureView view) throws RocksDBException {
        Retention retention = Retention.of(view);
        String name = view.qualifiedName();
        if (!retention.equals(retentions.get(name))) {
            folder.db().put(folder.meta(), RowKeys.retention(name), retention.encode());
            retentions.put(name, retention);
            historySweptMs.remove(name);
        }
        return retention;
    }

    @Override
    public void writeProgress(Progress record) {
        if (record.shard() < 0 || record.shard() >= record.shards()) {
            throw new IllegalArgumentException("progress.shard must be from 0 to shards - 1, was " + record);
        }
        changing("writing progress of " + record.view(), () -> {
            synchronized (progress) {
                ProgressBook book = bookFor(record);
                if (book.advances(record)) {
                    folder.db().put(folder.meta(), RowKeys.progress(record.view(), record.shard()), encode(record));
                    book.record(record);
                }
            }
        });
    }

    private ProgressBook bookFor(Progress record) throws RocksDBException {
        ProgressBook book = progress.get(record.view());
        if (book == null || book.shards() != record.shards()) {
            folder.db()
                    .deleteRange(
                            folder.meta(),
                            RowKeys.progress(record.view(), 0),
                            RowKeys.progress(record.view(), Integer.MAX_VALUE));
            book = new ProgressBook(record.shards());
            progress.put(record.view(), book);
        }
        return book;
    }

    private static byte[] encode(Progress record) {
        return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                .putInt(record.shards())
                .putLong(record.windowEndMs())
                .array();
    }

    @Override
    public void flush() {
        changing("syncing", () -> {
            folder.db().syncWal();
        });
    }

    @Override
    public NewestRows<StoredRow> read(FeatureView view, List<StoreKey> keys) {
        Layouts.requirePacked(view, "rocksdb");
        OptionalLong watermarkMs = watermark(view.qualifiedName());
        return new NewestRows<>(watermarkMs, get(view, keys, folder::newest, RowKeys::newest));
    }

    @Override
    public List<@Nullable StoredRow> readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        Retention.requireHistory(view);
        long endMs = view.windows().lastEndMs(asOfMs);
        return get(view, keys, folder::history, (rowKeys, parent, group) -> rowKeys.history(endMs, parent, group));
    }

    @Override
    public NewestRows<PackedKeyedRows.Row> readKeyed(FeatureView view, List<StoreKey> keys) {
        Layouts.requirePacked(view, "rocksdb");
        OptionalLong watermarkMs = watermark(view.qualifiedName());
        RowKeys rowKeys = new RowKeys(view);
        List<PackedKeyedRows.@Nullable Row> rows = new ArrayList<>(Collections.nCopies(keys.size(), null));
        doing("reading rows of " + view.qualifiedName(), () -> {
            fill(view, folder.newest(), keys, rows, (key, places) -> {
                places.add(rowKeys.newest(rowKeys.group(key.group())));
            });
        });
        return new NewestRows<>(watermarkMs, rows);
    }

    /**
     * Rows of a window end lie together, so that they expire together: each end that may hold the row is looked at, the newest by
     * itself, as most rows are there, and then more and more at a time.
     */
    @Override
    public List<PackedKeyedRows.@Nullable Row> readKeyedAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        Retention.requireHistory(view);
        RowKeys rowKeys = new RowKeys(view);
        long everyMs = view.windows().every().millis();
        long lastMs = view.windows().lastEndMs(asOfMs);
        long firstMs = Math.max(
                asOfMs - view.online().ttl().millis(), Retention.of(view).oldestMs(clock.millis()));
        List<PackedKeyedRows.@Nullable Row> rows = new ArrayList<>(Collections.nCopies(keys.size(), null));
        doing("reading rows of " + view.qualifiedName(), () -> {
            long newestMs = lastMs;
            for (int ends = 1; newestMs >= firstMs && rows.contains(null); ends = Math.min(2 * ends, MOST_ENDS)) {
                long[] endsMs = LongStream.iterate(newestMs, end -> end >= firstMs, end -> end - everyMs)
                        .limit(ends)
                        .toArray();
                fill(view, folder.history(), keys, rows, (key, places) -> {
                    byte[] group = rowKeys.group(key.group());
                    for (long end : endsMs) {
                        places.add(rowKeys.history(end, group));
                    }
                });
                newestMs -= ends * everyMs;
            }
        });
        return rows;
    }

    /**
     * Reads those rows that are missing.
     *
     * @param places adds where a key's row may be, of which the first that has one counts; as many for each key
     */
    private void fill(
            FeatureView view,
            ColumnFamilyHandle family,
            List<StoreKey> keys,
            List<PackedKeyedRows.@Nullable Row> rows,
            BiConsumer<StoreKey, List<byte[]>> places)
            throws RocksDBException {
        List<Integer> wanted = IntStream.range(0, keys.size())
                .filter(i -> rows.get(i) == null)
                .boxed()
                .toList();
        if (wanted.isEmpty()) {
            return; // RocksDB asserts that there is one
        }
        List<byte[]> asked = new ArrayList<>(wanted.size());
        wanted.forEach(i -> places.accept(keys.get(i), asked));
        List<byte[]> values = folder.db().multiGetAsList(readOptions, Collections.nCopies(asked.size(), family), asked);
        PackedKeyedRows codec = new PackedKeyedRows(view);
        long oldestMs = Retention.of(view).oldestMs(clock.millis());
        int each = asked.size() / wanted.size();
        for (int i = 0; i < wanted.size(); i++) {
            rows.set(wanted.get(i), first(values.subList(i * each, (i + 1) * each), view, codec, oldestMs));
        }
    }

    private PackedKeyedRows.@Nullable Row first(
            List<byte[]> values, FeatureView view, PackedKeyedRows codec, long oldestMs) {
        for (byte[] value : values) {
            PackedKeyedRows.Row row = value == null ? null : readable(view, () -> codec.decodeRow(value));
            if (row != null && row.windowEndMs() >= oldestMs) {
                return row;
            }
        }
        return null;
    }

    private List<@Nullable StoredRow> get(
            FeatureView view, List<StoreKey> keys, Supplier<ColumnFamilyHandle> family, BundleKey bundleKey) {
        if (keys.isEmpty()) {
            return List.of(); // RocksDB asserts that there is one
        }
        long oldestMs = Retention.of(view).oldestMs(clock.millis());
        PackedBundles codec = new PackedBundles(view);
        RowKeys rowKeys = new RowKeys(view);
        List<StoreKey> parents = keys.stream()
                .map(key -> new StoreKey(codec.parent(key.cell()), key.group()))
                .toList();
        List<StoreKey> wanted = parents.stream().distinct().toList();
        List<byte[]> encoded = wanted.stream()
                .map(parent -> bundleKey.of(rowKeys, parent.cell(), rowKeys.group(parent.group())))
                .toList();
        return using("reading rows of " + view.qualifiedName(), () -> {
            List<byte[]> values =
                    folder.db().multiGetAsList(readOptions, Collections.nCopies(encoded.size(), family.get()), encoded);
            Map<StoreKey, byte[]> bundles = new HashMap<>();
            for (int i = 0; i < values.size(); i++) {
                bundles.put(wanted.get(i), values.get(i));
            }
            List<@Nullable StoredRow> rows = new ArrayList<>(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                byte[] bundle = bundles.get(parents.get(i));
                long cell = keys.get(i).cell();
                StoredRow row = bundle == null ? null : readable(view, () -> codec.row(bundle, cell));
                rows.add(row == null || row.windowEndMs() < oldestMs ? null : row);
            }
            return rows;
        });
    }

    /** A view may lose rings and windows and keep its name; what was written before is then of no use to a reader. */
    private <R> @Nullable R readable(FeatureView view, Supplier<@Nullable R> row) {
        try {
            return row.get();
        } catch (IllegalArgumentException e) {
            if (unreadable.add(view.qualifiedName())) {
                LOG.warn(
                        "rows of view {} written under another definition are read as absent: {}",
                        view.qualifiedName(),
                        e.getMessage());
            }
            return null;
        }
    }

    @Override
    public OptionalLong watermark(String view) {
        ProgressBook book = progress.get(view);
        return book == null ? OptionalLong.empty() : book.watermark();
    }

    @Override
    public long expiredRows() {
        return expiredRows.sum();
    }

    /** One bounded step of removing what has expired. */
    void sweep() {
        changing("removing expired rows", () -> {
            long nowMs = clock.millis();
            for (var view : retentions.entrySet()) {
                sweepHistory(view.getKey(), view.getValue(), nowMs);
            }
            writing.lock();
            try {
                sweepNewest(nowMs);
            } finally {
                writing.unlock();
            }
        });
    }

    private void sweepHistory(String view, Retention retention, long nowMs) throws RocksDBException {
        long endMs = retention.keepsHistory() ? retention.oldestMs(nowMs) : Long.MAX_VALUE;
        Long sweptMs = historySweptMs.get(view);
        if (sweptMs != null && endMs - SWEEP_STEP_MS < sweptMs) {
            return;
        }
        byte[] first = RowKeys.historyFrom(view, Long.MIN_VALUE);
        byte[] end = RowKeys.historyFrom(view, endMs);
        folder.db().deleteFilesInRanges(folder.history(), List.of(first, end), false);
        folder.db().deleteRange(folder.history(), sweptMs == null ? first : RowKeys.historyFrom(view, sweptMs), end);
        historySweptMs.put(view, endMs);
    }

    private void sweepNewest(long nowMs) throws RocksDBException {
        if (sweepCursor == null) {
            if (nowMs < sweepAgainMs) {
                return;
            }
            sweepCursor = new byte[0];
        }
        try (RocksIterator rows = folder.db().newIterator(folder.newest());
                WriteBatch batch = new WriteBatch()) {
            rows.seek(sweepCursor);
            for (int seen = 0; seen < SWEEP_KEYS && rows.isValid(); seen++, rows.next()) {
                byte[] key = rows.key();
                Retention retention = retentions.get(RowKeys.view(key));
                if (retention != null && newestMs(rows.value()) < retention.oldestMs(nowMs)) {
                    batch.delete(folder.newest(), key);
                }
            }
            rows.status();
            sweepCursor = rows.isValid() ? rows.key() : null;
            sweepAgainMs = nowMs + SWEEP_STEP_MS;
            folder.db().write(writeOptions, batch);
        }
    }

    /** The greatest window end of what a value of {@code newest} holds. */
    private static long newestMs(byte[] value) {
        return isBundle(value) ? PackedBundles.newestMs(value) : PackedRows.windowEndMs(value);
    }

    private static boolean isBundle(byte[] value) {
        return (value[0] & 0xFF) == PackedBundles.MAGIC;
    }

    /** Rows on disk whether readable or not, counted one by one: for tests. */
    long rowsKept() {
        return using("counting", () -> count(folder.newest()) + count(folder.history()));
    }

    private long count(ColumnFamilyHandle family) {
        long rows = 0;
        try (RocksIterator each = folder.db().newIterator(family)) {
            for (each.seekToFirst(); each.isValid(); each.next()) {
                rows += isBundle(each.value()) ? PackedBundles.rows(each.value()) : 1;
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
                readOptions.close();
            }
        } finally {
            lock.unlock();
        }
    }

    /** RocksDB holds a writer up while compactions are behind: on a disk too full for them without end. */
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

    /** Native handles must not be touched once freed, so every use holds off the close. */
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

    /** Uses the store for what takes room on its disk. Once there was none, RocksDB is not asked before it is opened anew. */
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
                full = true;
                throw folder.full(doing, e);
            }
        });
    }

    private void recover(String doing) {
        if (!folder.hasRoom()) {
            throw folder.full(doing, null);
        }
        Lock lock = use.writeLock();
        lock.lock();
        try {
            requireOpen(doing);
            if (full) {
                folder.reopen();
                full = false;
                LOG.info("{} has room again and is written", folder);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes blocks of one view, each as one batch. */
    private final class BundleWriter {
        private final RowKeys keys;
        private final PackedBundles codec;
        private final boolean history;
        private final long oldestMs;

        BundleWriter(FeatureView view, boolean history, long oldestMs) {
            this.keys = new RowKeys(view);
            this.codec = new PackedBundles(view);
            this.history = history;
            this.oldestMs = oldestMs;
        }

        void write(RowBlock block) throws RocksDBException {
            if (block.windowEndMs() < oldestMs) {
                expiredRows.add(block.rows());
                return;
            }
            byte[] group = keys.group(block.group());
            List<byte[]> newestKeys = new ArrayList<>();
            List<byte[]> historyKeys = new ArrayList<>();
            List<byte[]> bundles = new ArrayList<>();
            for (int from = 0, to; from < block.rows(); from = to) {
                to = codec.end(block, from);
                long parent = codec.parent(block.cells()[from]);
                newestKeys.add(keys.newest(parent, group));
                if (history) {
                    historyKeys.add(keys.history(block.windowEndMs(), parent, group));
                }
                bundles.add(codec.encode(block, from, to));
            }
            put(newestKeys, historyKeys, bundles, (kept, arrived) -> codec.merge(kept, arrived, oldestMs));
        }
    }

    private interface BundleKey {
        byte[] of(RowKeys keys, long parent, byte[] group);
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
