package io.thalweg.tables;

import io.thalweg.model.field.FieldPath;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.jspecify.annotations.Nullable;

/**
 * The rows of all Parquet files of a folder, in the order of their paths, or of an Iceberg table in a folder as of its newest snapshot.
 *
 * <p><b>Columns.</b> Each may be null. The files of a folder have the same ones, with the same types. Those of an Iceberg table are its
 * current columns, of which older files may lack some.
 *
 * <p><b>Threads.</b> One.
 */
final class FolderColumns implements TableColumns {
    private final Deque<Part> parts;
    private final Struct schema;
    private @Nullable Part current;
    private @Nullable ParquetColumns open;

    /** A file, and the columns that it has. */
    private record Part(Path file, Struct columns) {}

    private FolderColumns(List<Part> parts, Struct schema) {
        this.parts = new ArrayDeque<>(parts);
        this.schema = schema;
    }

    static FolderColumns open(Path folder) throws IOException {
        return Files.isDirectory(folder.resolve("metadata")) ? iceberg(folder) : parquet(folder);
    }

    private static FolderColumns parquet(Path folder) throws IOException {
        List<Part> parts = new ArrayList<>();
        for (Path file : TableFiles.files(folder)) {
            if (!file.toString().toLowerCase(Locale.ROOT).endsWith(".parquet")) {
                throw new UnfitTableException(List.of(
                        "%s is not a Parquet file by its name; the folder must contain only files that end with .parquet"
                                .formatted(file)));
            }
            if (Files.size(file) > 0) {
                parts.add(new Part(file, ParquetColumns.schema(file)));
            }
        }
        Struct all = union(folder, parts);
        for (Part part : parts) {
            for (String name : all.names()) {
                if (part.columns().indexOf(name) < 0) {
                    throw new UnfitTableException(List.of(
                            "%s has no column %s, which other files of the folder have; write all with the same columns"
                                    .formatted(part.file(), name)));
                }
            }
        }
        return new FolderColumns(parts, all);
    }

    private static FolderColumns iceberg(Path folder) throws IOException {
        IcebergTable table = IcebergTable.open(folder.toString(), TablePart.ALL);
        List<FieldPath> columns = table.columns().stream()
                .map(name -> new FieldPath(name, List.of(name)))
                .toList();
        List<Part> parts = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (IcebergTable.Data data : table.files(List.of())) {
            try (ParquetFileReader file = ParquetRows.file(data.path())) {
                problems.addAll(table.problems(columns, file.getFileMetaData().getSchema(), data.path()));
            }
            Struct own = ParquetColumns.schema(data.path());
            parts.add(new Part(
                    data.path(),
                    new Struct(own.fields().stream()
                            .filter(field -> table.columns().contains(field.name()))
                            .toList())));
        }
        if (!problems.isEmpty()) {
            throw new UnfitTableException(problems);
        }
        return new FolderColumns(parts, union(folder, parts));
    }

    /** Returns the columns of all files, as optional ones, in the order in which they first occur. */
    private static Struct union(Path folder, List<Part> parts) {
        if (parts.isEmpty()) {
            throw new UnfitTableException(
                    List.of(folder + " has no rows; it must be a folder of Parquet files, or of an Iceberg table"));
        }
        Map<String, Field> fields = new LinkedHashMap<>();
        for (Part part : parts) {
            for (Field field : part.columns().fields()) {
                Field first =
                        fields.putIfAbsent(field.name(), Field.optional(field.name(), (FieldType.Scalar) field.type()));
                if (first != null && !first.type().equals(field.type())) {
                    throw new UnfitTableException(List.of(
                            "column %s is %s in %s, and %s in the files before it; write all with the same types"
                                    .formatted(field.name(), field.type(), part.file(), first.type())));
                }
            }
        }
        return new Struct(List.copyOf(fields.values()));
    }

    @Override
    public Struct schema() {
        return schema;
    }

    @Override
    public @Nullable ColumnBatch next() throws IOException {
        while (true) {
            if (open == null || current == null) {
                if (parts.isEmpty()) {
                    return null;
                }
                current = parts.remove();
                open = ParquetColumns.openAs(current.file(), optional(current.columns()));
            }
            ColumnBatch batch = open.next();
            if (batch != null) {
                return complete(batch, current.columns());
            }
            open.close();
            open = null;
        }
    }

    private Struct optional(Struct columns) {
        return new Struct(columns.names().stream()
                .map(name -> schema.fields().get(schema.indexOf(name)))
                .toList());
    }

    /** Adds the columns that a file lacks. */
    private ColumnBatch complete(ColumnBatch batch, Struct columns) {
        List<LeafColumn> leaves = new ArrayList<>();
        for (Field field : schema.fields()) {
            int at = columns.indexOf(field.name());
            leaves.add(at < 0 ? absent(field, batch.rows()) : batch.leaves().get(at));
        }
        return new ColumnBatch(batch.rows(), leaves);
    }

    private static LeafColumn absent(Field field, int rows) {
        ColumnWriter nulls = new ColumnWriter(new Struct(List.of(field)));
        for (int row = 0; row < rows; row++) {
            nulls.begin();
            nulls.absent(0);
            nulls.end();
        }
        return nulls.take().leaves().get(0);
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
        }
    }
}
