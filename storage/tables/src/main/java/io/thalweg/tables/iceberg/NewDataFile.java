package io.thalweg.tables.iceberg;

import io.thalweg.tables.TableFile;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/** A Parquet file that is being written, and may become a data file of a table. */
final class NewDataFile implements TableFile.Output {
    private final String location;
    private final Path path;
    private final FileOutputStream file;
    private final BufferedOutputStream out;
    private long position;

    /** Creates a file. */
    NewDataFile(String location) throws IOException {
        this.location = location;
        path = LocalFileIO.path(location);
        Files.createDirectories(path.getParent());
        file = new FileOutputStream(path.toFile());
        out = new BufferedOutputStream(file, 1 << 16);
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

    /** Ends the file, makes it durable, and describes it. */
    DataFile finish(ParquetMetadata footer, PartitionSpec spec, StructLike partition) throws IOException {
        out.flush();
        file.getFD().sync();
        out.close();
        return DataFiles.builder(spec)
                .withPath(location)
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(position)
                .withMetrics(FooterMetrics.of(footer))
                .withSplitOffsets(FooterMetrics.splitOffsets(footer))
                .withPartition(partition)
                .build();
    }

    Path path() {
        return path;
    }

    /** Closes and removes the file. */
    void abandon() throws IOException {
        out.close();
        Files.deleteIfExists(path);
    }
}
