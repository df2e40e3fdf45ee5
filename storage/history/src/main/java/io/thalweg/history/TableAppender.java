package io.thalweg.history;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.PartitionedFiles;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableCommit;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Appends records to a table of a log in one commit.
 *
 * <p><b>Threads.</b> One.
 */
final class TableAppender implements AutoCloseable {
    private static final String WRITER = "backfill";
    private static final long TARGET_FILE = 256L << 20;

    private final TableAddress address;
    private final TableLayout layout;
    private final PartitionedFiles files;

    TableAppender(TableAddress address, TableLayout layout) {
        this.address = address;
        this.layout = layout;
        files = new PartitionedFiles(address, layout, new PartitionedFiles.Form(WRITER, Compression.ZSTD, TARGET_FILE));
    }

    void add(ColumnBatch batch) throws IOException {
        files.write(batch);
    }

    void commit() throws IOException {
        List<String> written = files.finish();
        if (!written.isEmpty()) {
            String id = WRITER + "-" + UUID.randomUUID();
            try (IcebergTableWriter table = IcebergTableWriter.open(address, layout)) {
                var unused = table.commit(new TableCommit(WRITER, id, id, id + "-1", 1, written));
            }
        }
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
