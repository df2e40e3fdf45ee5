package io.thalweg.tables;

import io.thalweg.model.field.FieldPath;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.SnapshotUtil;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of an Iceberg table: its files, and whether their columns are the table's. It reads only the table's own files; no
 * catalog is involved.
 *
 * <p><b>Refused.</b> Anything that would make the rows of a file differ from those of the table: row-level deletes, and columns
 * that were renamed, dropped or given a default since the file was written.
 *
 * <p><b>Threads.</b> One.
 */
final class IcebergTable {
    private static final Pattern METADATA = Pattern.compile("v?(\\d+)(-.*)?(\\.gz)?\\.metadata\\.json");
    private static final String REWRITE = "; have the table's data files rewritten (rewrite_data_files)";
    private static final int SHOWN = 5;

    private final String path;
    private final Table table;
    private final Snapshot snapshot;
    private final @Nullable Long after;
    private final Schema schema;

    /**
     * A Parquet file.
     *
     * @param partitions values of the requested columns, as text; null where the partition's value is null
     */
    record Data(Path path, List<@Nullable String> partitions) {}

    private IcebergTable(String path, Table table, Snapshot snapshot, @Nullable Long after, Schema schema) {
        this.path = path;
        this.table = table;
        this.snapshot = snapshot;
        this.after = after;
        this.schema = schema;
    }

    /**
     * Opens a table.
     *
     * @param path its folder, or a file of its metadata
     * @param part which snapshot, or the changes between two
     * @throws UnfitTableException if the table does not contain that part
     */
    static IcebergTable open(String path, TablePart part) throws IOException {
        Path metadata = Files.isDirectory(Path.of(path)) ? newest(Path.of(path)) : Path.of(path);
        if (!Files.isRegularFile(metadata)) {
            throw new IOException(metadata + ": no such file or folder");
        }
        FileIO files = new LocalFiles();
        try {
            Table table = new BaseTable(
                    new StaticTableOperations(TableMetadataParser.read(files.newInputFile(metadata.toString())), files),
                    path);
            Snapshot snapshot = snapshot(table, path, part);
            // As in Iceberg: the current columns for the table, those of the snapshot for a snapshot.
            Schema schema =
                    part.snapshot() == null ? table.schema() : SnapshotUtil.schemaFor(table, snapshot.snapshotId());
            return new IcebergTable(path, table, snapshot, part.after(), schema);
        } catch (UncheckedIOException | IllegalArgumentException e) {
            throw new IOException(metadata + ": is no metadata of an Iceberg table: " + e.getMessage(), e);
        }
    }

    /** Returns the newest metadata file: each change of a table is a file with the next number. */
    private static Path newest(Path folder) throws IOException {
        Path metadata = folder.resolve("metadata");
        if (Files.isDirectory(metadata)) {
            try (Stream<Path> files = Files.list(metadata)) {
                var newest =
                        files.filter(file -> version(file) >= 0).max(Comparator.comparingLong(IcebergTable::version));
                if (newest.isPresent()) {
                    return newest.get();
                }
            }
        }
        throw unfit(
                "%s is no Iceberg table: it has no file metadata/….metadata.json; name the folder above it, or such a file"
                        .formatted(folder));
    }

    private static long version(Path file) {
        Matcher name = METADATA.matcher(file.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    private static UnfitTableException unfit(String problem) {
        return new UnfitTableException(List.of(problem));
    }

    private static Snapshot snapshot(Table table, String path, TablePart part) {
        Snapshot last = part.snapshot() == null ? table.currentSnapshot() : known(table, path, part.snapshot());
        if (last == null) {
            throw unfit("%s holds no row: nothing was ever written to it".formatted(path));
        }
        if (part.after() != null) {
            requireAppends(table, path, known(table, path, part.after()).snapshotId(), last);
        }
        return last;
    }

    private static Snapshot known(Table table, String path, long id) {
        Snapshot snapshot = table.snapshot(id);
        if (snapshot == null) {
            List<String> ids = new ArrayList<>();
            table.snapshots().forEach(each -> ids.add(String.valueOf(each.snapshotId())));
            throw unfit("%s has no snapshot %d; its last are %s"
                    .formatted(path, id, ids.subList(Math.max(0, ids.size() - SHOWN), ids.size())));
        }
        return snapshot;
    }

    /** Only appended rows can be read incrementally; rewritten files contain the same rows as before. */
    private static void requireAppends(Table table, String path, long after, Snapshot last) {
        if (!SnapshotUtil.isAncestorOf(table, last.snapshotId(), after)) {
            throw unfit("snapshot %d of %s does not come before %d; leave --after out"
                    .formatted(after, path, last.snapshotId()));
        }
        for (Snapshot between : SnapshotUtil.ancestorsBetween(table, last.snapshotId(), after)) {
            String operation = between.operation();
            if (!DataOperations.APPEND.equals(operation) && !DataOperations.REPLACE.equals(operation)) {
                throw unfit("snapshot %d of %s changed rows that were there (%s); leave --after out and load all"
                        .formatted(between.snapshotId(), path, operation));
            }
        }
    }

    long snapshotId() {
        return snapshot.snapshotId();
    }

    /**
     * Returns the files of the snapshot in the order of their paths.
     *
     * @param partitions columns whose values are wanted
     */
    List<Data> files(List<String> partitions) throws IOException {
        List<Data> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = tasks()) {
            for (FileScanTask task : tasks) {
                files.add(new Data(requireReadable(task), partitions(task, partitions)));
            }
        } catch (UncheckedIOException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
        files.sort(Comparator.comparing(Data::path));
        return files;
    }

    private CloseableIterable<FileScanTask> tasks() {
        if (after == null) {
            return table.newScan().useSnapshot(snapshotId()).planFiles();
        }
        if (after == snapshotId()) {
            return CloseableIterable.empty();
        }
        return table.newIncrementalAppendScan()
                .fromSnapshotExclusive(after)
                .toSnapshot(snapshotId())
                .planFiles();
    }

    private Path requireReadable(FileScanTask task) {
        ContentFile<?> file = task.file();
        if (!task.deletes().isEmpty()) {
            throw unfit(("rows of %s are deleted by other files (merge-on-read), which are not read in this version"
                            + REWRITE)
                    .formatted(file.location()));
        }
        if (file.format() != FileFormat.PARQUET) {
            throw unfit(("%s is %s; only Parquet is read in this version" + REWRITE)
                    .formatted(file.location(), file.format()));
        }
        return local(file.location());
    }

    private List<@Nullable String> partitions(FileScanTask task, List<String> names) {
        List<@Nullable String> values = new ArrayList<>();
        for (String name : names) {
            values.add(partition(task, name));
        }
        return Collections.unmodifiableList(values);
    }

    private @Nullable String partition(FileScanTask task, String name) {
        List<PartitionField> fields = task.spec().fields();
        for (int i = 0; i < fields.size(); i++) {
            PartitionField field = fields.get(i);
            if (field.transform().isIdentity() && name.equals(schema.findColumnName(field.sourceId()))) {
                Object value = task.partition().get(i, Object.class);
                return value == null
                        ? null
                        : text(
                                field.transform(),
                                task.spec().partitionType().fields().get(i).type(),
                                value);
            }
        }
        throw new UnfitTableException(List.of(
                "source.partitions: files of %s are not parted by the value of %s; take it out of the list, it is read from the files"
                        .formatted(path, name)));
    }

    @SuppressWarnings("unchecked") // An identity has the type of its source.
    private static String text(Transform<?, ?> transform, Type type, Object value) {
        return ((Transform<?, Object>) transform).toHumanString(type, value);
    }

    /** The names of the table's columns. */
    List<String> columns() {
        return schema.columns().stream().map(NestedField::name).toList();
    }

    /** Finds columns of a file that differ from the table's current columns of the same name. */
    List<String> problems(List<FieldPath> columns, MessageType file, Path at) {
        List<String> problems = new ArrayList<>();
        for (FieldPath column : columns) {
            NestedField field = schema.findField(column.column());
            String problem = field == null ? dropped(column, file) : problem(column, field, file);
            if (problem != null) {
                problems.add("column %s of %s %s".formatted(column.column(), at, problem + REWRITE));
            }
        }
        return problems;
    }

    private static @Nullable String dropped(FieldPath column, MessageType file) {
        return ParquetRows.type(file, column) == null ? null : "is in the file, but was dropped from the table";
    }

    private static @Nullable String problem(FieldPath column, NestedField field, MessageType file) {
        var found = ParquetRows.type(file, column);
        if (found != null) {
            var id = found.getId();
            return id == null || id.intValue() == field.fieldId()
                    ? null
                    : "is another one that was dropped, with the number " + id + " where the table has "
                            + field.fieldId();
        }
        if (field.initialDefault() != null) {
            return "is not there, and its default is not known here";
        }
        String once = name(field.fieldId(), file, "");
        return once == null ? null : "is named " + once + " there, as it was once";
    }

    /** Returns the name of the column with this id in a file; null if there is none. */
    private static @Nullable String name(int id, GroupType group, String prefix) {
        for (org.apache.parquet.schema.Type field : group.getFields()) {
            String name = prefix + field.getName();
            if (field.getId() != null && field.getId().intValue() == id) {
                return name;
            }
            String below = field.isPrimitive() ? null : name(id, field.asGroupType(), name + ".");
            if (below != null) {
                return below;
            }
        }
        return null;
    }

    /** Returns the local path of a location; metadata names files by URI or by path. */
    private static Path local(String location) {
        if (location.startsWith("file:")) {
            return Path.of(URI.create(location).getPath());
        }
        if (location.matches("[A-Za-z][A-Za-z0-9+.-]*://.*")) {
            throw unfit(
                    ("its files lie at %s: other file systems are not supported in this version; mount it, and copy the table's"
                                    + " metadata to where they name the mount")
                            .formatted(location));
        }
        return Path.of(location);
    }

    /** Read access to files of this machine. */
    private static final class LocalFiles implements FileIO {
        private static final long serialVersionUID = 1;

        @Override
        public InputFile newInputFile(String location) {
            File file = local(location).toFile();
            return org.apache.iceberg.Files.localInput(file);
        }

        @Override
        public OutputFile newOutputFile(String location) {
            throw new UnsupportedOperationException("tables are only read here");
        }

        @Override
        public void deleteFile(String location) {
            throw new UnsupportedOperationException("tables are only read here");
        }
    }
}
