package io.thalweg.tables.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/**
 * The data files of the current snapshot of a table, selected by a column of times.
 *
 * <p><b>Errors.</b> IOException if the table does not exist or cannot be read. <b>Threads.</b> One.
 */
public final class IcebergTableScan implements AutoCloseable {
    private final CatalogTable opened;
    private final Table table;

    /**
     * A data file.
     *
     * @param path on this machine
     */
    public record File(Path path, long rows, long bytes) {}

    private IcebergTableScan(CatalogTable opened) {
        this.opened = opened;
        table = opened.table();
    }

    /**
     * Opens an existing table.
     *
     * @throws CatalogAwayException if the catalog cannot be reached
     * @throws IOException if there is no such table
     */
    public static IcebergTableScan open(TableAddress address) throws IOException {
        try {
            return new IcebergTableScan(CatalogTable.open(address));
        } catch (NoSuchTableException | NoSuchNamespaceException e) {
            throw new IOException(
                    "there is no table %s in %s"
                            .formatted(address.name(), address.catalog().text()),
                    e);
        }
    }

    /** The properties of the table. */
    public Map<String, String> properties() {
        return table.properties();
    }

    /** Sets properties of the table, unless it has them already. */
    public void setProperties(Map<String, String> properties) {
        if (!table.properties().entrySet().containsAll(properties.entrySet())) {
            var update = table.updateProperties();
            properties.forEach(update::set);
            update.commit();
        }
    }

    /** The names of the columns. */
    public List<String> columns() {
        return table.schema().columns().stream().map(column -> column.name()).toList();
    }

    /**
     * Returns the files that may have rows with a time in a range, in the order in which they were committed.
     *
     * @param column of times
     * @param from inclusive
     * @param to inclusive
     */
    public List<File> files(String column, Instant from, Instant to) throws IOException {
        return files(Expressions.and(
                Expressions.greaterThanOrEqual(column, micros(from)), Expressions.lessThanOrEqual(column, micros(to))));
    }

    /** Returns all files. */
    public List<File> files() throws IOException {
        return files(Expressions.alwaysTrue());
    }

    private List<File> files(Expression where) throws IOException {
        Snapshot snapshot = table.currentSnapshot();
        if (snapshot == null) {
            return List.of();
        }
        List<DataFile> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks =
                table.newScan().filter(where).planFiles()) {
            for (FileScanTask task : tasks) {
                files.add(task.file().copyWithoutStats());
            }
        } catch (UncheckedIOException e) {
            throw new IOException(table.name() + ": " + e.getMessage(), e);
        }
        return files.stream()
                .sorted(Comparator.comparing(
                        (DataFile file) -> Objects.requireNonNullElse(file.dataSequenceNumber(), 0L)))
                .map(file -> new File(LocalFileIO.path(file.location()), file.recordCount(), file.fileSizeInBytes()))
                .toList();
    }

    /**
     * Removes the files all of whose rows have a time before another. Files that have later rows, too, are left.
     *
     * @param column of times, by which the table is partitioned
     * @return whether a file was removed
     */
    public boolean removeBefore(String column, Instant before) throws IOException {
        table.refresh();
        Instant hour = Instant.ofEpochSecond(Math.floorDiv(before.getEpochSecond(), 3600) * 3600);
        Expression old = Expressions.lessThan(column, micros(hour));
        if (files(old).isEmpty()) {
            return false;
        }
        DeleteFiles delete = table.newDelete().deleteFromRowFilter(old);
        delete.commit();
        return true;
    }

    private static long micros(Instant time) {
        return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1_000);
    }

    @Override
    public void close() throws IOException {
        opened.close();
    }
}
