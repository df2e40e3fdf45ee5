package io.thalweg.store;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/**
 * An open RocksDB folder with its three column families. It holds the lock that keeps other processes out.
 *
 * <p><b>Threads.</b> Safe, except for {@link #reopen} and {@link #close}: no other thread may use the folder meanwhile.
 */
final class RocksFolder implements AutoCloseable {
    /*
     * RocksDB refuses writes once its log or a flush has met a full disk. After a failed flush it recovers automatically when
     * there is room again. After a failed log write it never does (facebook/rocksdb#11643): the file keeps its error.
     * Reopening cures both by replaying the log, which is then flushed and so needs room as large as itself.
     */
    private static final int FORMAT = 3;
    private static final byte[] FORMAT_KEY = {'v'};
    private static final long MIB = 1L << 20;
    private static final long SPARE_BYTES = 64 * MIB;
    /** For history and scans; the newest rows are in {@link RocksValues}. Uses no more memory than there is data on disk. */
    private static final long CACHE_BYTES = 64 * MIB;

    private final Path path;
    private @Nullable Opened opened;

    private record Opened(RocksDB db, List<ColumnFamilyHandle> families, List<AutoCloseable> natives) {}

    private RocksFolder(Path path) {
        this.path = path;
    }

    static RocksFolder open(Path path) {
        prepare(path);
        RocksDB.loadLibrary();
        // Compactions may take until the next window end. Flushes may not: the writer waits for them.
        Env.getDefault().lowerThreadPoolCPUPriority(Priority.LOW);
        RocksFolder folder = new RocksFolder(path);
        folder.open();
        return folder;
    }

    private void open() {
        List<AutoCloseable> natives = new ArrayList<>();
        List<ColumnFamilyHandle> families = new ArrayList<>();
        try {
            RocksDB db = RocksDB.open(databaseOptions(natives), path.toString(), descriptors(natives), families);
            opened = new Opened(db, families, natives);
        } catch (RocksDBException e) {
            closeAll(natives);
            throw openFailure(e);
        }
        try {
            checkFormat();
        } catch (RocksDBException e) {
            close();
            throw openFailure(e);
        }
    }

    /**
     * Closes the folder and opens it again.
     *
     * @throws StoreException if it cannot be opened; it is closed then, and may be reopened later
     */
    void reopen() {
        close();
        open();
    }

    private static void prepare(Path path) {
        try {
            Files.createDirectories(path);
        } catch (FileAlreadyExistsException e) {
            throw new StoreException(
                    "store.path must be a folder, '" + e.getFile() + "' is a file; name another path", e);
        } catch (AccessDeniedException e) {
            throw notWritable(path, e);
        } catch (IOException e) {
            throw new StoreException(
                    "store.path '" + path + "' cannot be created" + reason(path, e)
                            + "; name a path in a folder that this user may write to",
                    e);
        }
        if (!Files.isWritable(path) || !Files.isReadable(path) || !Files.isExecutable(path)) {
            throw notWritable(path, null);
        }
    }

    /** Returns the system's reason; if a file is in the way, that instead. */
    private static String reason(Path path, IOException e) {
        for (Path above = path.toAbsolutePath().getParent(); above != null; above = above.getParent()) {
            if (Files.isRegularFile(above)) {
                return ": '" + above + "' is a file, not a folder";
            }
        }
        String words = e instanceof FileSystemException failed ? failed.getReason() : e.getMessage();
        return words == null ? "" : ": " + words;
    }

    private static StoreException notWritable(Path path, @Nullable IOException cause) {
        return new StoreException(
                "store.path '" + path + "' is not readable and writable for this user; grant it or name another path",
                cause);
    }

    /** RocksDB has no status for a lock that another process or another instance holds; only its text reveals it. */
    private StoreException openFailure(RocksDBException e) {
        String reason = String.valueOf(e.getMessage());
        if (reason.contains("LOCK:") || reason.contains("lock hold by current process")) {
            return new StoreException(
                    "store.path '" + path + "' is in use by another process"
                            + LockHolder.shown(path.resolve("LOCK"))
                            + "; stop it, read through its server, or name another path",
                    e);
        }
        if (isFull(e)) {
            return new StoreException(StoreException.Kind.PASSING, noRoomFor("opening"), e);
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
        LRUCache cache = new LRUCache(CACHE_BYTES);
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
                // Bundles are bit-packed already: the gain of LZ4 is not worth its time.
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
        byte[] found = db().get(meta(), FORMAT_KEY);
        if (found == null) {
            db().put(
                            meta(),
                            FORMAT_KEY,
                            ByteBuffer.allocate(Integer.BYTES).putInt(FORMAT).array());
            return;
        }
        int format = ByteBuffer.wrap(found).getInt();
        if (format != FORMAT) {
            close();
            throw new StoreException("store.path '" + path + "' has format " + format + ", this version reads " + FORMAT
                    + "; start with the Thalweg that wrote it, or delete the folder and replay");
        }
    }

    Path path() {
        return path;
    }

    boolean isOpen() {
        return opened != null;
    }

    RocksDB db() {
        return opened().db();
    }

    ColumnFamilyHandle meta() {
        return opened().families().get(0);
    }

    ColumnFamilyHandle newest() {
        return opened().families().get(1);
    }

    ColumnFamilyHandle history() {
        return opened().families().get(2);
    }

    private Opened opened() {
        if (opened == null) {
            throw full("opening", null); // again
        }
        return opened;
    }

    StoreException failure(String doing, RocksDBException e) {
        return new StoreException(this + " failed while " + doing + ": " + e.getMessage(), e);
    }

    /** Whether a failure is due to a full disk. RocksDB reports NoSpace once; concurrent and later failures carry other statuses. */
    boolean isFull(RocksDBException e) {
        Status status = e.getStatus();
        return status != null
                && status.getCode() == Status.Code.IOError
                && (status.getSubCode() == Status.SubCode.NoSpace || !hasRoom());
    }

    /** Whether there is enough room to open the folder again. */
    boolean hasRoom() {
        return path.toFile().getUsableSpace() >= neededBytes();
    }

    private long neededBytes() {
        File[] logs = path.toFile().listFiles((folder, name) -> name.endsWith(".log"));
        return SPARE_BYTES
                + (logs == null
                        ? 0
                        : Arrays.stream(logs).mapToLong(File::length).sum());
    }

    /** The failure of a full disk. */
    StoreException full(String doing, @Nullable RocksDBException cause) {
        return new StoreException(StoreException.Kind.PASSING, noRoomFor(doing) + ", then it goes on by itself", cause);
    }

    private String noRoomFor(String doing) {
        return this + " has no room for " + doing + ": its disk is full; make room there, at least "
                + (neededBytes() / MIB + 1) + " MiB";
    }

    @Override
    public void close() {
        Opened closing = opened;
        opened = null;
        if (closing != null) {
            closeAll(closing.families());
            closing.db().close();
            closeAll(closing.natives());
        }
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

    @Override
    public String toString() {
        return "store '" + path + "'";
    }
}
