package io.thalweg.tables.iceberg;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.PartitionSpec;
import org.apache.parquet.schema.MessageType;

/**
 * Writes one data file, which belongs to the table once it is committed.
 *
 * <p><b>Threads.</b> One.
 */
public final class DataFileWriter implements AutoCloseable {
    private final NewDataFile out;
    private final ParquetFileBuilder file;

    DataFileWriter(Path path, MessageType schema, ParquetFileBuilder.Compression compression, long rowGroupBytes)
            throws IOException {
        out = new NewDataFile(path);
        file = new ParquetFileBuilder(out, schema, compression, rowGroupBytes);
    }

    /** Adds rows; see {@link ParquetFileBuilder#add}. */
    public void add(ColumnBatch batch) throws IOException {
        file.add(batch);
    }

    /** About the size of the file if it ended here. */
    public long bytes() throws IOException {
        return file.bytes();
    }

    /** Ends the file, durably, and describes it in JSON, as a {@link TableCommit} takes it. */
    public String finish() throws IOException {
        PartitionSpec spec = PartitionSpec.unpartitioned();
        return ContentFileParser.toJson(out.finish(file.finish(), spec, null), spec);
    }

    /** Ends without a file: what was written is not used. */
    @Override
    public void close() throws IOException {
        out.abandon();
    }
}
