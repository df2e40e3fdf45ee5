package io.thalweg.tables;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.schema.Struct;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a file or folder of any columns, as batches.
 *
 * <p><b>Errors.</b> IOException that names the file; {@link UnfitTableException} if it has columns that are not read. <b>Threads.</b> One.
 */
public interface TableColumns extends Closeable {
    /** Opens a Parquet or CSV file, by the ending of its name, a folder of Parquet files, or the folder of an Iceberg table. */
    static TableColumns open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            return FolderColumns.open(file);
        }
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".csv") || name.endsWith(".csv.gz")
                ? CsvColumns.open(file)
                : ParquetColumns.open(file, ParquetColumns.schema(file).names(), ParquetColumns.RowGroupFilter.ALL);
    }

    /** The columns of the batches. */
    Struct schema();

    /** Returns the next rows; null after the last. */
    @Nullable
    ColumnBatch next() throws IOException;
}
