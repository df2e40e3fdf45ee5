package io.thalweg.tables.iceberg;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Appends records to a table in one commit, and creates the table if there is none.
 *
 * <p><b>Threads.</b> One.
 */
public final class TableAppender implements AutoCloseable {
    private static final long TARGET_FILE = 256L << 20;

    private final String writer;
    private final PartitionedFiles files;
    /** Open for the commit, so that it is not lost if the catalog is away for a moment. */
    private final IcebergTableWriter table;

    /**
     * Creates the table if there is none.
     *
     * @param writer identifies who appends to the table
     * @throws IcebergTableMismatchException if records of this layout cannot be written to the table
     */
    public TableAppender(TableAddress address, TableLayout layout, String writer) {
        table = IcebergTableWriter.open(address, layout);
        this.writer = writer;
        files = new PartitionedFiles(address, layout, new PartitionedFiles.Form(writer, Compression.ZSTD, TARGET_FILE));
    }

    public void add(ColumnBatch batch) throws IOException {
        files.write(batch);
    }

    /** Appends what was added. */
    public void commit() throws IOException {
        List<String> written = files.finish();
        if (!written.isEmpty()) {
            String id = writer + "-" + UUID.randomUUID();
            var unused = table.commit(new TableCommit(writer, id, id, id + "-1", 1, written));
        }
    }

    /** Removes what was not committed. */
    @Override
    public void close() throws IOException {
        try (table) {
            files.close();
        }
    }
}
