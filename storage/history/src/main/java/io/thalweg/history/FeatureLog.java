package io.thalweg.history;

import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.model.view.ViewFingerprint;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetColumns;
import io.thalweg.tables.iceberg.IcebergTableScan;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The feature log of a view, open for reading.
 *
 * <p><b>Errors.</b> IOException if a table does not exist or cannot be read; {@link LogMismatchException} if it belongs to another view
 * or meaning. <b>Threads.</b> One, but {@link #scan} may run in several, each with files of its own.
 */
public final class FeatureLog implements AutoCloseable {
    /** The years 1 to 9999, in which microseconds fit a long. */
    static final long FIRST_MS = -62_135_596_800_000L;

    static final long LAST_MS = 253_402_300_799_999L;

    private final FeatureView view;
    private final TableAddress address;
    private final IcebergTableScan rows;
    private final IcebergTableScan progress;

    /** Receives the rows of a log. */
    public interface Blocks {
        /**
         * Receives rows.
         *
         * @param progressMs the progress that made them readable: their window end, or the time of their load, epoch ms
         */
        void add(RowBlock block, long progressMs) throws IOException;
    }

    private FeatureLog(FeatureView view, TableAddress address, IcebergTableScan rows, IcebergTableScan progress) {
        this.view = view;
        this.address = address;
        this.rows = rows;
        this.progress = progress;
    }

    /** Opens the log of a view. */
    public static FeatureLog open(FeatureView view, TableAddress address) throws IOException {
        IcebergTableScan rows = IcebergTableScan.open(address);
        try {
            requireSame(view, address, rows.properties());
            return new FeatureLog(view, address, rows, IcebergTableScan.open(LogLayout.progress(address)));
        } catch (IOException | RuntimeException e) {
            rows.close();
            throw e;
        }
    }

    /**
     * Creates the tables of a log unless they exist, and marks them with the view's meaning and its writer.
     *
     * @param deployment whose job will write to it; null for a run that only adds what is missing
     * @throws LogMismatchException if the table has rows of another view or meaning, or another deployment writes to it
     */
    public static void create(
            FeatureView view, OfflineSpec.Format format, TableAddress address, @Nullable String deployment)
            throws IOException {
        boolean existed = IcebergTableWriter.exists(address);
        IcebergTableWriter.open(address, LogLayout.rows(view, format)).close();
        IcebergTableWriter.open(LogLayout.progress(address), LogLayout.progress())
                .close();
        try (IcebergTableScan table = IcebergTableScan.open(address)) {
            if (existed && table.properties().containsKey(LogLayout.FINGERPRINT)) {
                requireSame(view, address, table.properties());
            } else {
                table.setProperties(
                        Map.of(LogLayout.VIEW, view.qualifiedName(), LogLayout.FINGERPRINT, ViewFingerprint.of(view)));
            }
            if (deployment != null) {
                requireOneWriter(address, table.properties(), deployment);
                table.setProperties(Map.of(LogLayout.DEPLOYMENT, deployment));
            }
        }
    }

    /** Two jobs of the same view would log each row twice. */
    private static void requireOneWriter(TableAddress address, Map<String, String> properties, String deployment) {
        String first = properties.getOrDefault(LogLayout.DEPLOYMENT, deployment);
        if (!first.equals(deployment)) {
            throw new LogMismatchException(
                    "deployment %s writes to table %s, and this is deployment %s: both would log each row; name another table in offline.iceberg. If deployment %s no longer exists, remove the property %s of the table with an engine such as Spark (ALTER TABLE … UNSET TBLPROPERTIES)"
                            .formatted(first, address.name(), deployment, first, LogLayout.DEPLOYMENT));
        }
    }

    private static void requireSame(FeatureView view, TableAddress address, Map<String, String> properties) {
        String name = properties.get(LogLayout.VIEW);
        String fingerprint = properties.get(LogLayout.FINGERPRINT);
        if (name == null || fingerprint == null) {
            throw new LogMismatchException(
                    "table %s is not a feature log; name another table in offline.iceberg".formatted(address.name()));
        }
        if (!name.equals(view.qualifiedName())) {
            throw new LogMismatchException(
                    "table %s is the feature log of view %s, not of %s; name another table in offline.iceberg"
                            .formatted(address.name(), name, view.qualifiedName()));
        }
        if (!fingerprint.equals(ViewFingerprint.of(view))) {
            throw new LogMismatchException(
                    "table %s has rows of view %s with another definition; give the view another version, or name another table in offline.iceberg"
                            .formatted(address.name(), name));
        }
    }

    public FeatureView view() {
        return view;
    }

    public TableAddress address() {
        return address;
    }

    /** Whether rows are packed; otherwise other engines read them as columns. */
    public boolean isPacked() {
        return rows.columns().contains(LogLayout.BLOCK);
    }

    OfflineSpec.Format format() {
        return isPacked() ? OfflineSpec.Format.PACKED : OfflineSpec.Format.COLUMNS;
    }

    /**
     * Returns when rows were readable, as the log recorded it.
     *
     * @param fromMs the earliest time that is asked, epoch ms
     * @throws LogMismatchException if no record has a time, because all rows were computed after the fact
     */
    public Availability logged(long fromMs) throws IOException {
        if (view.isTable()) {
            return loads();
        }
        LoggedTimes.Builder times = new LoggedTimes.Builder(
                fromMs - view.online().keptMs() - 2 * view.clock().everyMs());
        boolean[] any = {false};
        progress((shard, endMs, rowsAtMs, readableAtMs) -> {
            any[0] = true;
            if (rowsAtMs != LogProgress.UNKNOWN && readableAtMs != LogProgress.UNKNOWN) {
                times.add(shard, endMs, rowsAtMs, readableAtMs);
            }
        });
        if (!any[0]) {
            throw empty();
        }
        if (times.isEmpty()) {
            throw new LogMismatchException(
                    "the log of view %s does not say when its rows were readable, because they were computed from recorded events; give --available DELAY, such as %s, after which a row counts as readable"
                            .formatted(
                                    view.qualifiedName(),
                                    view.source().maxOutOfOrderness().text()));
        }
        return times.build();
    }

    private Availability loads() throws IOException {
        Map<Long, Long> complete = new HashMap<>();
        progress((shard, loadedMs, rowsAtMs, readableAtMs) -> complete.merge(loadedMs, readableAtMs, Math::min));
        if (complete.isEmpty()) {
            throw empty();
        }
        return new LoadTimes(complete);
    }

    /** Returns availability a fixed time after the window end. */
    public Availability after(long delayMs) throws IOException {
        NavigableMap<Long, Ends> ends = ends();
        if (ends.isEmpty()) {
            throw empty();
        }
        // Of a table, rows of any time may have been loaded at once.
        long firstMs = view.isTable() ? FIRST_MS : ends.firstKey();
        return new FixedDelay(view.clock(), delayMs, firstMs, ends.lastKey());
    }

    private LogMismatchException empty() {
        return new LogMismatchException(
                "the log of view %s (table %s) has no rows yet".formatted(view.qualifiedName(), address.name()));
    }

    /**
     * A window end of a log.
     *
     * @param readableAtMs when all shards had reached it, epoch ms; empty if that is not known
     */
    public record Ends(OptionalLong readableAtMs) {}

    /** Returns the window ends that the log has, ascending. */
    public NavigableMap<Long, Ends> ends() throws IOException {
        TreeMap<Long, Ends> ends = new TreeMap<>();
        progress((shard, endMs, rowsAtMs, readableAtMs) -> {
            OptionalLong readable =
                    readableAtMs == LogProgress.UNKNOWN ? OptionalLong.empty() : OptionalLong.of(readableAtMs);
            ends.merge(endMs, new Ends(readable), FeatureLog::later);
        });
        return ends;
    }

    /** Receives records of progress, as {@link LogProgress#add} takes them. */
    private interface Records {
        void add(int shard, long endMs, long rowsAtMs, long readableAtMs);
    }

    private void progress(Records into) throws IOException {
        for (IcebergTableScan.File file : progress.files()) {
            try (ParquetColumns columns =
                    ParquetColumns.open(file.path(), LogLayout.PROGRESS.names(), ParquetColumns.RowGroupFilter.ALL)) {
                for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                    List<LeafCursor> leaves =
                            batch.leaves().stream().map(LeafCursor::new).toList();
                    for (int row = 0; row < batch.rows(); row++) {
                        long endMs = ms(leaves.get(0));
                        leaves.get(1).next();
                        into.add((int) leaves.get(1).number(), endMs, ms(leaves.get(2)), ms(leaves.get(3)));
                    }
                }
            }
        }
    }

    /** Returns the next time of a column, epoch ms. */
    private static long ms(LeafCursor times) {
        return times.next() ? times.number() / 1_000 : LogProgress.UNKNOWN;
    }

    private static Ends later(Ends one, Ends other) {
        if (one.readableAtMs().isEmpty() || other.readableAtMs().isEmpty()) {
            return one.readableAtMs().isEmpty() ? other : one;
        }
        return one.readableAtMs().getAsLong() >= other.readableAtMs().getAsLong() ? one : other;
    }

    /**
     * The size of a log.
     *
     * @param rows of the view
     */
    public record Size(int files, long rows, long bytes) {}

    /** Returns the size of the table of rows. */
    public Size size() throws IOException {
        List<IcebergTableScan.File> files = rows.files();
        long count = 0;
        for (IcebergTableScan.File file : files) {
            count += isPacked() ? rowsInBlocks(file.path()) : file.rows();
        }
        return new Size(
                files.size(),
                count,
                files.stream().mapToLong(IcebergTableScan.File::bytes).sum());
    }

    private static long rowsInBlocks(Path file) throws IOException {
        long sum = 0;
        try (ParquetColumns columns =
                ParquetColumns.open(file, List.of(LogLayout.ROWS), ParquetColumns.RowGroupFilter.ALL)) {
            for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                LeafCursor blocks = new LeafCursor(batch.leaves().get(0));
                for (int row = 0; row < batch.rows(); row++) {
                    blocks.next();
                    sum += blocks.number();
                }
            }
        }
        return sum;
    }

    /** Returns the files with rows of window ends in a range, both ends inclusive, epoch ms. */
    List<IcebergTableScan.File> files(long fromMs, long toMs) throws IOException {
        return rows.files(LogLayout.WINDOW_END, Instant.ofEpochMilli(fromMs), Instant.ofEpochMilli(toMs));
    }

    /**
     * Passes on all blocks with window ends in a range, both ends inclusive, epoch ms; files in the order of their commits.
     *
     * @throws LogMismatchException if the log of a view with rings is in columns
     */
    public void scan(long fromMs, long toMs, Blocks into) throws IOException {
        long from = Math.max(fromMs, FIRST_MS);
        long to = Math.min(toMs, LAST_MS);
        for (IcebergTableScan.File file : files(from, to)) {
            scan(file, from, to, into);
        }
    }

    /**
     * Passes on the blocks of a file with window ends in a range, both ends inclusive.
     *
     * @throws LogMismatchException if the log of a view with rings is in columns
     */
    void scan(IcebergTableScan.File file, long fromMs, long toMs, Blocks into) throws IOException {
        if (!isPacked()) {
            scanColumns(file, fromMs, toMs, into);
            return;
        }
        RowCodec codec = RowCodec.of(view);
        List<String> names = List.of(LogLayout.WINDOW_END, LogLayout.BLOCK, LogLayout.partitionColumn(view));
        try (ParquetColumns columns =
                ParquetColumns.open(file.path(), names.stream().distinct().toList(), range(fromMs, toMs))) {
            for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                LeafCursor end = new LeafCursor(batch.leaves().get(0));
                LeafCursor block = new LeafCursor(batch.leaves().get(1));
                LeafCursor load = view.isTable() ? new LeafCursor(batch.leaves().get(2)) : null;
                for (int row = 0; row < batch.rows(); row++) {
                    end.next();
                    block.next();
                    long endMs = end.number() / 1_000;
                    long progressMs = endMs;
                    if (load != null) {
                        load.next();
                        progressMs = load.number() / 1_000;
                    }
                    if (endMs >= fromMs && endMs <= toMs) {
                        into.add(decoded(codec, block.bytes(), file.path()), progressMs);
                    }
                }
            }
        }
    }

    private void scanColumns(IcebergTableScan.File file, long fromMs, long toMs, Blocks into) throws IOException {
        if (!view.isKeyed()) {
            throw new LogMismatchException(
                    "the log of view %s (table %s) is in columns, which other engines read; for a view with rings, this command needs offline.format: packed"
                            .formatted(view.qualifiedName(), address.name()));
        }
        ColumnBlocks blocks = new ColumnBlocks(view);
        try (ParquetColumns columns = ParquetColumns.open(file.path(), blocks.names(), range(fromMs, toMs))) {
            for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                blocks.read(batch, fromMs, toMs, into);
            }
        }
    }

    private static RowBlock decoded(RowCodec codec, byte[] block, Path file) throws IOException {
        try {
            return codec.decodeBlock(block);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": a block cannot be decoded: " + e.getMessage(), e);
        }
    }

    private static ParquetColumns.RowGroupFilter range(long fromMs, long toMs) {
        long from = Math.multiplyExact(fromMs, 1_000);
        long to = Math.multiplyExact(toMs, 1_000);
        return new ParquetColumns.RowGroupFilter() {
            @Override
            public String column() {
                return LogLayout.WINDOW_END;
            }

            @Override
            public boolean test(long min, long max) {
                return max >= from && min <= to;
            }
        };
    }

    @Override
    public void close() throws IOException {
        try (rows) {
            progress.close();
        }
    }
}
