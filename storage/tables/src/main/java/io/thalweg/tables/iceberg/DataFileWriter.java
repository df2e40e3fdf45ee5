package io.thalweg.tables.iceberg;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.OpenFiles;
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
public final class DataFileWriter implements OpenFiles.File, AutoCloseable {
    private final NewDataFile out;
    private final ParquetFileBuilder file;
    private final PartitionSpec spec;
    private final Partition partition;

    DataFileWriter(
            String location,
            PartitionSpec spec,
            Partition partition,
            MessageType schema,
            ParquetFileBuilder.Compression compression,
            long rowGroupBytes)
            throws IOException {
        this.spec = spec;
        this.partition = partition;
        out = new NewDataFile(location);
        file = new ParquetFileBuilder(out, schema, compression, rowGroupBytes);
    }

    /** Adds rows of its partition; see {@link ParquetFileBuilder#add}. */
    public void add(ColumnBatch batch) throws IOException {
        file.add(batch);
    }

    /** Returns roughly the size of the file if it ended here. */
    public long bytes() throws IOException {
        return file.bytes();
    }

    @Override
    public long bytesInMemory() {
        return file.bytesInMemory();
    }

    @Override
    public void endRowGroup() throws IOException {
        file.endRowGroup();
    }

    /** Ends the file, makes it durable, and returns its description in JSON, as a {@link TableCommit} takes it. */
    public String finish() throws IOException {
        return ContentFileParser.toJson(out.finish(file.finish(), spec, partition), spec);
    }

    /** The file on this machine. */
    Path path() {
        return out.path();
    }

    /** Abandons the file and removes what was written. */
    @Override
    public void close() throws IOException {
        out.abandon();
    }
}
