package io.thalweg.tables;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.source.Source;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.table.Table;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.Measure;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * The files of a table at one time, cut into splits and validated: the definition's columns must exist and be usable.
 *
 * <p><b>Which.</b> The file that the definition names, or all files of a folder and its subfolders, in the order of their
 * paths. Files and folders whose names begin with {@code .} or {@code _} do not belong to the table ({@code _SUCCESS},
 * {@code .crc}). For an Iceberg table, the files that its metadata name.
 *
 * @param splits in reading order
 * @param fingerprint changes whenever the definition or a file of the table does: a load may only be resumed with the same
 *   fingerprint
 * @param snapshot of an Iceberg table; null for others
 * @param empty the files without rows, which are skipped; writers leave them where a partition of theirs is empty
 */
public record TableFiles(
        List<TableSplit> splits,
        String fingerprint,
        @Nullable Long snapshot,
        List<Path> empty) {
    private static final String ICEBERG = "source.iceberg";

    /** Hive's notation for a partition column that is null. */
    private static final String NO_VALUE = "__HIVE_DEFAULT_PARTITION__";

    public TableFiles {
        splits = List.copyOf(splits);
        empty = List.copyOf(empty);
    }

    /**
     * Lists and validates the files of a table.
     *
     * @throws UnfitTableException if the definition does not fit it; reports all problems at once
     * @throws IOException if it cannot be read
     */
    public static TableFiles of(Materialization spec, TablePart part) throws IOException {
        requirePartitions(part.partitions().keySet(), spec.table());
        Look look = new Look(spec, part);
        return spec.table().format() == Table.Format.ICEBERG ? look.iceberg() : look.folders();
    }

    /** One inspection of a table. */
    private static final class Look {
        private final Table table;
        private final TablePart part;
        private final Judge judge;
        private final CRC32 fingerprint = new CRC32();
        private final List<TableSplit> splits = new ArrayList<>();
        private final List<Path> empty = new ArrayList<>();

        Look(Materialization spec, TablePart part) {
            this.table = spec.table();
            this.part = part;
            this.judge = new Judge(spec);
            update(spec + " " + part);
        }

        private void update(String text) {
            fingerprint.update(text.getBytes(StandardCharsets.UTF_8));
        }

        TableFiles folders() throws IOException {
            requireNoSnapshots();
            for (Path file : files(Path.of(table.path()))) {
                List<@Nullable String> partitions = partitions(file, table);
                if (isChosen(partitions, table, part.partitions())) {
                    update(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
                    if (Files.size(file) == 0) {
                        empty.add(file);
                    } else if (table.format() == Table.Format.PARQUET) {
                        parquet(file, partitions, null);
                    } else {
                        csv(file, partitions);
                    }
                }
            }
            if (splits.isEmpty() && !isThere()) {
                throw new UnfitTableException(List.of(nothing(table, part.partitions())));
            }
            return found(null);
        }

        private void csv(Path file, List<@Nullable String> partitions) throws IOException {
            CsvRows.Header header = CsvRows.header(file);
            if (header != null) {
                judge.header(header.names());
            }
            if (header != null && header.hasRows()) {
                splits.add(new TableSplit(file.toString(), partitions, 0, TableSplit.UNKNOWN, Files.size(file)));
            } else {
                empty.add(file);
            }
        }

        /**
         * Whether a table without rows was written: its folder has an entry, such as {@code _SUCCESS}, or there is a folder of
         * each chosen partition. A folder with nothing in it may be that of a disk that is not mounted.
         */
        private boolean isThere() throws IOException {
            Path root = Path.of(table.path());
            if (!Files.isDirectory(root)) {
                return true;
            }
            try (Stream<Path> all = Files.walk(root)) {
                return part.partitions().isEmpty()
                        ? all.anyMatch(entry -> !entry.equals(root))
                        : all.filter(Files::isDirectory)
                                .anyMatch(folder -> isOfThePartition(folder, root, part.partitions()));
            }
        }

        private void requireNoSnapshots() {
            if (part.snapshot() != null || part.after() != null) {
                throw new UnfitTableException(List.of(
                        "source.%s: has no snapshots, which --snapshot and --after are of; leave them out, or name an Iceberg table as source.iceberg"
                                .formatted(table.format().text())));
            }
        }

        TableFiles iceberg() throws IOException {
            IcebergTable iceberg;
            List<IcebergTable.Data> files;
            try {
                iceberg = IcebergTable.open(table.path(), part);
                files = iceberg.files(table.partitions());
            } catch (UnfitTableException e) {
                throw e.at(ICEBERG);
            }
            update("snapshot " + iceberg.snapshotId());
            for (IcebergTable.Data file : files) {
                if (isChosen(file.partitions(), table, part.partitions())) {
                    update(file.path().toString());
                    parquet(file.path(), file.partitions(), iceberg);
                }
            }
            if (part.after() == null && splits.isEmpty() && !part.partitions().isEmpty()) {
                throw new UnfitTableException(List.of(nothing(table, part.partitions())));
            }
            return found(iceberg.snapshotId());
        }

        private void parquet(Path file, List<@Nullable String> partitions, @Nullable IcebergTable iceberg)
                throws IOException {
            try (ParquetFileReader reader = ParquetRows.file(file)) {
                MessageType schema = reader.getFileMetaData().getSchema();
                judge.schema(schema, file, iceberg);
                if (reader.getRecordCount() == 0) {
                    empty.add(file);
                }
                int rowGroup = 0;
                for (BlockMetaData block : reader.getRowGroups()) {
                    if (block.getRowCount() > 0) {
                        judge.encrypted(schema, block, file);
                        splits.add(new TableSplit(
                                file.toString(), partitions, rowGroup, block.getRowCount(), bytes(block)));
                    }
                    rowGroup++;
                }
            }
        }

        /** Returns the size of a row group as far as it can be told without a key. */
        private static long bytes(BlockMetaData block) {
            return block.getColumns().stream()
                    .filter(chunk -> !chunk.isEncrypted())
                    .mapToLong(ColumnChunkMetaData::getTotalSize)
                    .sum();
        }

        private TableFiles found(@Nullable Long snapshot) {
            if (!splits.isEmpty()) {
                judge.throwIfAny();
            }
            return new TableFiles(
                    splits, Long.toHexString(fingerprint.getValue() | 1L << 32).substring(1), snapshot, empty);
        }
    }

    /** Returns the rows of all splits; {@link TableSplit#UNKNOWN} if that is unknown for any of them. */
    public long rows() {
        return splits.stream().anyMatch(split -> split.rows() == TableSplit.UNKNOWN)
                ? TableSplit.UNKNOWN
                : splits.stream().mapToLong(TableSplit::rows).sum();
    }

    /** Returns the bytes of all splits. */
    public long bytes() {
        return splits.stream().mapToLong(TableSplit::bytes).sum();
    }

    private static void requirePartitions(Set<String> chosen, Table table) {
        List<String> unknown = chosen.stream()
                .filter(name -> !table.partitions().contains(name))
                .map(name -> table.partitions().isEmpty()
                        ? "source.partitions: is empty, so there is no partition " + name
                                + " to choose; say partitions: [" + name + "]"
                        : "source.partitions: has no " + name + "; " + Suggestion.hint(name, table.partitions()))
                .toList();
        if (!unknown.isEmpty()) {
            throw new UnfitTableException(unknown);
        }
    }

    private static String nothing(Table table, Map<String, Set<String>> chosen) {
        return chosen.isEmpty()
                ? "source.%s: %s is an empty folder; is it the folder of the table, and is its disk mounted? A table without rows has a file _SUCCESS"
                        .formatted(table.format().text(), table.path())
                : "source.%s: %s holds no row of %s; see ls %s"
                        .formatted(
                                table.format().text(),
                                table.path(),
                                chosen.entrySet().stream()
                                        .map(entry -> entry.getKey() + "=" + String.join(" or ", entry.getValue()))
                                        .collect(Collectors.joining(", ")),
                                table.path());
    }

    /** Returns the files of a folder that belong to a table, in the order of their paths. */
    static List<Path> files(Path root) throws IOException {
        if (!Files.exists(root)) {
            throw new IOException(root + ": no such file or folder");
        }
        try (Stream<Path> all = Files.walk(root, FileVisitOption.FOLLOW_LINKS)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> isOfTheTable(root.relativize(file)))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isOfTheTable(Path relative) {
        for (Path step : relative) {
            String name = step.toString();
            if (name.startsWith(".") || name.startsWith("_")) {
                return false;
            }
        }
        return true;
    }

    private static List<@Nullable String> partitions(Path file, Table table) {
        List<@Nullable String> values = new ArrayList<>();
        Path relative = Path.of(table.path()).relativize(file);
        for (String name : table.partitions()) {
            values.add(partition(name, file, relative));
        }
        // Not List.copyOf, which rejects null.
        return java.util.Collections.unmodifiableList(values);
    }

    private static @Nullable String partition(String name, Path file, Path relative) {
        for (Path step : relative) {
            String text = step.toString();
            if (text.startsWith(name + "=")) {
                String value = text.substring(name.length() + 1);
                return value.equals(NO_VALUE) ? null : unescaped(name, value, file);
            }
        }
        throw new UnfitTableException(List.of("source.partitions: " + file + " does not lie in a folder " + name
                + "=…; take " + name + " out of the list, or the file out of the table"));
    }

    /** Hive escapes as in URLs, but leaves + unchanged. */
    private static String unescaped(String name, String value, Path file) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new UnfitTableException(List.of(
                    "source.partitions: the folder %s=%s of %s has a %% that is not followed by two hex digits; name it %s=%s"
                            .formatted(name, value, file, name, value.replaceAll("%(?![0-9A-Fa-f]{2})", "%25"))));
        }
    }

    private static boolean isOfThePartition(Path folder, Path root, Map<String, Set<String>> chosen) {
        Set<String> steps = new HashSet<>();
        root.relativize(folder).forEach(step -> steps.add(step.toString()));
        return chosen.entrySet().stream()
                .allMatch(each -> steps.stream()
                        .filter(step -> step.startsWith(each.getKey() + "="))
                        .map(step -> step.substring(each.getKey().length() + 1))
                        .anyMatch(value -> value.equals(NO_VALUE)
                                ? each.getValue().contains(NO_VALUE)
                                : each.getValue().contains(unescaped(each.getKey(), value, folder))));
    }

    private static boolean isChosen(List<@Nullable String> partitions, Table table, Map<String, Set<String>> chosen) {
        for (Map.Entry<String, Set<String>> each : chosen.entrySet()) {
            String value = partitions.get(table.partitions().indexOf(each.getKey()));
            if (!each.getValue().contains(value == null ? NO_VALUE : value)) {
                return false;
            }
        }
        return true;
    }

    /** Finds the columns of a definition that no file has, or has in an unusable form. */
    private static final class Judge {
        private final Materialization spec;
        private final List<FieldPath> columns;
        /** The types of features that have columns of their own. */
        private final Map<FieldPath, Measure.ColumnType> features = new HashMap<>();

        private final Set<FieldPath> missing = new java.util.LinkedHashSet<>();
        private final Set<String> there = new TreeSet<>();
        private final Set<String> problems = new java.util.LinkedHashSet<>();

        Judge(Materialization spec) {
            this.spec = spec;
            columns = TableRows.columns(spec).stream()
                    .filter(column -> !TableRows.isPartition(column, spec.table()))
                    .toList();
            missing.addAll(columns);
            if (spec.table().text() == null) {
                for (Computation.Column column : spec.view().columns()) {
                    features.put(column.field(), column.type());
                }
            }
        }

        void header(List<String> names) {
            there.addAll(names);
            missing.removeIf(column -> names.contains(column.column()));
        }

        void schema(MessageType schema, Path file, @Nullable IcebergTable iceberg) {
            if (iceberg != null) {
                iceberg.problems(columns, schema, file).forEach(problem -> problems.add(ICEBERG + ": " + problem));
            }
            for (ColumnDescriptor column : schema.getColumns()) {
                FieldPath usable = usable(schema, column);
                if (usable != null) {
                    there.add(usable.column());
                }
            }
            missing.removeIf(column -> isThere(column, schema, file));
        }

        /** Adds a problem for each column of the definition whose pages are encrypted. */
        void encrypted(MessageType schema, BlockMetaData block, Path file) {
            Set<List<String>> encrypted = block.getColumns().stream()
                    .filter(ColumnChunkMetaData::isEncrypted)
                    .map(chunk -> List.of(chunk.getPath().toArray()))
                    .collect(Collectors.toSet());
            for (FieldPath column : columns) {
                ColumnDescriptor read = ParquetRows.readable(schema, column);
                if (read != null && encrypted.contains(List.of(read.getPath()))) {
                    problem(
                            column,
                            file,
                            "is encrypted, and encryption is not supported in this version",
                            "write the table without encryption, or leave the column out");
                }
            }
        }

        /** Returns the name of a column of single values or of a list of numbers; null for others. */
        private static @Nullable FieldPath usable(MessageType schema, ColumnDescriptor column) {
            List<String> path = List.of(column.getPath());
            for (int steps = path.size(); steps > 0; steps--) {
                FieldPath name = new FieldPath(String.join(".", path.subList(0, steps)), path.subList(0, steps));
                if (column.equals(ParquetRows.readable(schema, name))) {
                    return name;
                }
            }
            return null;
        }

        /** Whether a file has a column; if it is unusable, adds a problem. */
        private boolean isThere(FieldPath column, MessageType schema, Path file) {
            Measure.@Nullable ColumnType type = features.get(column);
            ColumnDescriptor found = ParquetRows.column(schema, column);
            boolean isList = ParquetRows.list(schema, column) != null;
            if (found != null && type != null) {
                value(column, type, found, file);
            } else if (isList && type == null) {
                problem(column, file, "is a list of numbers, which only a feature can be", single(schema, column));
            } else if (isList && type != null && type != Measure.ColumnType.DOUBLE_LIST) {
                problem(
                        column,
                        file,
                        "is a list of numbers, and the feature is of type " + type.text(),
                        "say type: double_list of it");
            } else if (found == null && !isList && isNested(schema, column)) {
                problem(
                        column,
                        file,
                        "is a map, a struct, or a list of something else than numbers, which is not supported in this version",
                        single(schema, column));
            }
            return found != null || isList || isNested(schema, column);
        }

        /** Whether a path leads to a struct, or to a list or map or into one. */
        private static boolean isNested(MessageType schema, FieldPath column) {
            Type type = schema;
            for (String step : column.segments()) {
                GroupType group = type.asGroupType();
                if (!group.containsField(step)) {
                    return false;
                }
                type = group.getType(step);
                if (type.isRepetition(Type.Repetition.REPEATED) || type.getLogicalTypeAnnotation() != null) {
                    return true;
                }
                if (type.isPrimitive()) {
                    return false;
                }
            }
            return true;
        }

        private void problem(FieldPath column, Path file, String what, String remedy) {
            problems.add("%s: column %s of %s %s; %s".formatted(key(column), column.column(), file, what, remedy));
        }

        /** Returns the remedy for a column that is not of single values. */
        private static String single(MessageType schema, FieldPath column) {
            String first = column.segments().get(0);
            return schema.getColumns().stream()
                    .filter(each -> each.getMaxRepetitionLevel() == 0)
                    .map(each -> String.join(".", each.getPath()))
                    .min(Comparator.comparing((String name) -> !name.startsWith(first + ".")))
                    .map(name -> "name a column of one value, such as " + name)
                    .orElse("the file has no column of one value");
        }

        /** Checks, as far as the type shows, that a column with single values fits its feature. */
        private void value(FieldPath column, Measure.ColumnType type, ColumnDescriptor found, Path file) {
            boolean isText = ParquetTypes.isText(found.getPrimitiveType());
            if (type == Measure.ColumnType.DOUBLE_LIST) {
                problem(column, file, "has one value a row, and the feature is a list", "say type: double of it");
            } else if (isText && type != Measure.ColumnType.STRING) {
                problem(
                        column,
                        file,
                        "holds text, and the feature is of type " + type.text(),
                        "say type: string of it");
            } else if (!isText && type == Measure.ColumnType.STRING) {
                problem(
                        column,
                        file,
                        "holds no text, and the feature is of type string",
                        "say type: int64, double or bool of it");
            }
        }

        /** Returns where the definition names a column. */
        private String key(FieldPath column) {
            List<? extends Entity> entities = spec.view().entities();
            for (int i = 0; i < entities.size(); i++) {
                if (entities.get(i) instanceof Entity.Field field
                        && field.field().equals(column)) {
                    return "entities[" + i + "].field";
                }
            }
            Table.Text text = spec.table().text();
            if (text != null) {
                return text.field().equals(column) ? "features.text" : "event_time.field";
            }
            for (int f = 0; f < spec.view().columns().size(); f++) {
                if (spec.view().columns().get(f).field().equals(column)) {
                    return "features[" + f + "]";
                }
            }
            Source.EventTime time = spec.table().eventTime();
            return time == null ? "source" : "event_time.field";
        }

        void throwIfAny() {
            for (FieldPath column : missing) {
                problems.add("%s: no file of %s has a column %s; %s"
                        .formatted(
                                key(column),
                                spec.table().path(),
                                column.column(),
                                Suggestion.hint(column.column(), there)));
            }
            if (!problems.isEmpty()) {
                throw new UnfitTableException(List.copyOf(problems));
            }
        }
    }
}
