package io.thalweg.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** An open RocksDB folder with its three column families; holds the lock that keeps other processes out. */
final class RocksFolder implements AutoCloseable {
    private static final int FORMAT = 2;
    private static final byte[] FORMAT_KEY = {'v'};
    private static final long MIB = 1L << 20;

    private final Path path;
    private final RocksDB db;
    private final List<ColumnFamilyHandle> families;
    private final List<AutoCloseable> natives;

    private RocksFolder(Path path, RocksDB db, List<ColumnFamilyHandle> families, List<AutoCloseable> natives) {
        this.path = path;
        this.db = db;
        this.families = families;
        this.natives = natives;
    }

    static RocksFolder open(Path path) {
        prepare(path);
        RocksDB.loadLibrary();
        List<AutoCloseable> natives = new ArrayList<>();
        List<ColumnFamilyHandle> families = new ArrayList<>();
        try {
            RocksDB db = RocksDB.open(databaseOptions(natives), path.toString(), descriptors(natives), families);
            RocksFolder folder = new RocksFolder(path, db, families, natives);
            folder.checkFormat();
            return folder;
        } catch (RocksDBException e) {
            closeAll(natives);
            throw openFailure(path, e);
        }
    }

    private static void prepare(Path path) {
        try {
            Files.createDirectories(path);
        } catch (FileAlreadyExistsException e) {
            throw new StoreException("store.path must be a folder, '" + path + "' is a file; name another path", e);
        } catch (AccessDeniedException e) {
            throw notWritable(path, e);
        } catch (IOException e) {
            throw new StoreException("store.path '" + path + "' cannot be created: " + e, e);
        }
        if (!Files.isWritable(path) || !Files.isReadable(path) || !Files.isExecutable(path)) {
            throw notWritable(path, null);
        }
    }

    private static StoreException notWritable(Path path, @org.jspecify.annotations.Nullable IOException cause) {
        return new StoreException(
                "store.path '" + path + "' is not readable and writable for this user; grant it or name another path",
                cause);
    }

    /** RocksDB has no status of its own for a lock that another process or another instance holds; its text says so. */
    private static StoreException openFailure(Path path, RocksDBException e) {
        String reason = String.valueOf(e.getMessage());
        if (reason.contains("LOCK:") || reason.contains("lock hold by current process")) {
            return new StoreException(
                    "store.path '" + path + "' is in use by another process; stop it, read through its server, or name"
                            + " another path",
                    e);
        }
        return new StoreException("store.path '" + path + "' cannot be opened: " + reason, e);
    }

    private static DBOptions databaseOptions(List<AutoCloseable> natives) {
        DBOptions options = new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setMaxBackgroundJobs(2)
                .setMaxOpenFiles(512)
                .setDbWriteBufferSize(128 * MIB)
                .setMaxTotalWalSize(256 * MIB)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(2);
        natives.add(options);
        return options;
    }

    private static List<ColumnFamilyDescriptor> descriptors(List<AutoCloseable> natives) {
        LRUCache cache = new LRUCache(64 * MIB);
        natives.add(cache);
        BloomFilter bloom = new BloomFilter(10);
        natives.add(bloom);
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setFilterPolicy(bloom)
                .setBlockSize(8 << 10)
                .setCacheIndexAndFilterBlocks(true)
                .setPinL0FilterAndIndexBlocksInCache(true);
        return List.of(
                new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family(natives)),
                new ColumnFamilyDescriptor("newest".getBytes(StandardCharsets.UTF_8), rows(natives, table)),
                new ColumnFamilyDescriptor("history".getBytes(StandardCharsets.UTF_8), rows(natives, table)));
    }

    private static ColumnFamilyOptions rows(List<AutoCloseable> natives, BlockBasedTableConfig table) {
        return family(natives)
                .setTableFormatConfig(table)
                // Bundles are bits already: what LZ4 takes off them does not pay for its time.
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(32 * MIB)
                .setTargetFileSizeBase(32 * MIB);
    }

    private static ColumnFamilyOptions family(List<AutoCloseable> natives) {
        ColumnFamilyOptions options = new ColumnFamilyOptions();
        natives.add(options);
        return options;
    }

    private void checkFormat() throws RocksDBException {
        byte[] found = db.get(meta(), FORMAT_KEY);
        if (found == null) {
            db.put(
                    meta(),
                    FORMAT_KEY,
                    ByteBuffer.allocate(Integer.BYTES).putInt(FORMAT).array());
            return;
        }
        int format = ByteBuffer.wrap(found).getInt();
        if (format != FORMAT) {
            close();
            throw new StoreException("store.path '" + path + "' has format " + format + ", this version reads " + FORMAT
                    + "; delete the folder and replay, or name another path");
        }
    }

    RocksDB db() {
        return db;
    }

    ColumnFamilyHandle meta() {
        return families.get(0);
    }

    ColumnFamilyHandle newest() {
        return families.get(1);
    }

    ColumnFamilyHandle history() {
        return families.get(2);
    }

    StoreException failure(String doing, RocksDBException e) {
        return new StoreException("store '" + path + "' failed while " + doing + ": " + e.getMessage(), e);
    }

    @Override
    public void close() {
        closeAll(families);
        db.close();
        closeAll(natives);
    }

    private static void closeAll(List<? extends AutoCloseable> natives) {
        for (AutoCloseable each : natives) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
