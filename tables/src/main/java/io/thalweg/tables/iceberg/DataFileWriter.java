package io.thalweg.tables.iceberg;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder;
import io.thalweg.tables.TableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;

/**
 * Writes one data file, which belongs to the table once it is committed.
 *
 * <p><b>Threads.</b> One.
 */
public final class DataFileWriter implements AutoCloseable {
    private final Path path;
    private final FileStream out;
    private final ParquetFileBuilder file;

    DataFileWriter(Path path, MessageType schema, ParquetFileBuilder.Compression compression, long rowGroupBytes)
            throws IOException {
        this.path = path;
        Files.createDirectories(path.getParent());
        out = new FileStream(path);
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
        ParquetMetadata footer = file.finish();
        out.force();
        out.close();
        DataFile written = DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath(path.toString())
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(Files.size(path))
                .withMetrics(FooterMetrics.of(footer))
                .withSplitOffsets(FooterMetrics.splitOffsets(footer))
                .build();
        return ContentFileParser.toJson(written, PartitionSpec.unpartitioned());
    }

    /** Ends without a file: what was written is not used. */
    @Override
    public void close() throws IOException {
        out.close();
        Files.deleteIfExists(path);
    }

    /** A file that is being written. */
    private static final class FileStream implements TableFile.Output {
        private final java.io.FileOutputStream file;
        private final java.io.BufferedOutputStream out;
        private long position;

        FileStream(Path path) throws IOException {
            file = new java.io.FileOutputStream(path.toFile());
            out = new java.io.BufferedOutputStream(file, 1 << 16);
        }

        @Override
        public void write(byte[] data, int from, int length) throws IOException {
            out.write(data, from, length);
            position += length;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        void force() throws IOException {
            out.flush();
            file.getFD().sync();
        }

        void close() throws IOException {
            out.close();
        }
    }
}
