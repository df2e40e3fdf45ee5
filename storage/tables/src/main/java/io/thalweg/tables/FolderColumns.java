package io.thalweg.tables;

import io.thalweg.model.field.FieldPath;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * The rows of all Parquet files of a folder, in the order of their paths, or of an Iceberg table in a folder as of its newest snapshot.
 *
 * <p><b>Columns.</b> Those of the first file; each may be null. All files must have them, with the same types.
 *
 * <p><b>Threads.</b> One.
 */
final class FolderColumns implements TableColumns {
    private final Deque<Path> files;
    private final Struct schema;
    private @Nullable ParquetColumns open;

    private FolderColumns(List<Path> files, Struct schema) {
        this.files = new ArrayDeque<>(files);
        this.schema = schema;
    }

    static FolderColumns open(Path folder) throws IOException {
        List<Path> files = Files.isDirectory(folder.resolve("metadata")) ? iceberg(folder) : parquet(folder);
        if (files.isEmpty()) {
            throw new UnfitTableException(
                    List.of(folder + " has no rows; it must be a folder of Parquet files, or of an Iceberg table"));
        }
        List<Field> fields = new ArrayList<>();
        for (Field field : ParquetColumns.schema(files.get(0)).fields()) {
            fields.add(Field.optional(field.name(), (FieldType.Scalar) field.type()));
        }
        return new FolderColumns(files, new Struct(fields));
    }

    private static List<Path> parquet(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path file : TableFiles.files(folder)) {
            if (!file.toString().toLowerCase(Locale.ROOT).endsWith(".parquet")) {
                throw new UnfitTableException(List.of(
                        "%s is not a Parquet file by its name; the folder must contain only files that end with .parquet"
                                .formatted(file)));
            }
            if (Files.size(file) > 0) {
                files.add(file);
            }
        }
        return files;
    }

    private static List<Path> iceberg(Path folder) throws IOException {
        IcebergTable table = IcebergTable.open(folder.toString(), TablePart.ALL);
        List<Path> files = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (IcebergTable.Data data : table.files(List.of())) {
            try (ParquetFileReader file = ParquetRows.file(data.path())) {
                MessageType type = file.getFileMetaData().getSchema();
                List<FieldPath> columns = type.getFields().stream()
                        .map(field -> new FieldPath(field.getName(), List.of(field.getName())))
                        .toList();
                problems.addAll(table.problems(columns, type, data.path()));
            }
            files.add(data.path());
        }
        if (!problems.isEmpty()) {
            throw new UnfitTableException(problems);
        }
        return files;
    }

    @Override
    public Struct schema() {
        return schema;
    }

    @Override
    public @Nullable ColumnBatch next() throws IOException {
        while (true) {
            if (open == null) {
                if (files.isEmpty()) {
                    return null;
                }
                open = ParquetColumns.openAs(files.remove(), schema);
            }
            ColumnBatch batch = Objects.requireNonNull(open).next();
            if (batch != null) {
                return batch;
            }
            open.close();
            open = null;
        }
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
        }
    }
}
