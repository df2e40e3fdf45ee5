package io.thalweg.tables.iceberg;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.OpenFileLimits;
import io.thalweg.tables.OpenFiles;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Data files of a table, one at a time for each partition. Beyond {@link OpenFileLimits#FILES}, the least recently written file is
 * finished. The table is opened with the first file.
 *
 * <p><b>Threads.</b> One.
 */
public final class PartitionedFiles implements AutoCloseable {
    private final TableAddress address;
    private final TableLayout layout;
    private final Form form;
    private final Partitioner partitioner;
    private final List<String> finished = new ArrayList<>();
    /** The files that {@code finished} describes. */
    private final List<Path> finishedFiles = new ArrayList<>();

    private final OpenFiles<Partition, DataFileWriter> open = OpenFileLimits.newFiles();
    private @Nullable IcebergTableWriter table;

    /**
     * The form of the files.
     *
     * @param prefix of their names
     * @param targetFile the size in bytes at which a file is finished
     */
    public record Form(String prefix, Compression compression, long targetFile) {}

    public PartitionedFiles(TableAddress address, TableLayout layout, Form form) {
        this.address = address;
        this.layout = layout;
        this.form = form;
        partitioner = layout.partitioner();
    }

    /** Writes rows to the files of their partitions. */
    public void write(ColumnBatch batch) throws IOException {
        for (Partitioner.Part part : partitioner.split(batch)) {
            write(part);
        }
    }

    private void write(Partitioner.Part part) throws IOException {
        Partition partition = part.partition();
        DataFileWriter file = open.get(partition);
        if (file == null) {
            file = begin(partition);
            open.opened(partition, file);
        }
        file.add(part.rows());
        open.written(partition);
        if (file.bytes() >= form.targetFile()) {
            end(partition);
        }
        for (Partition excess : open.excess()) {
            end(excess);
        }
    }

    private DataFileWriter begin(Partition partition) throws IOException {
        IcebergTableWriter into = table == null ? IcebergTableWriter.open(address, layout) : table;
        table = into;
        return into.newFile(form.prefix(), partition, form.compression(), OpenFileLimits.ROW_GROUP_BYTES);
    }

    private void end(Partition partition) throws IOException {
        DataFileWriter file = open.get(partition);
        if (file != null) {
            finished.add(file.finish());
            finishedFiles.add(file.path());
            open.closed(partition);
        }
    }

    /** Finishes all files; returns the descriptions of those since the last call, as a {@link TableCommit} takes them. */
    public List<String> finish() throws IOException {
        for (Partition partition : open.partitions()) {
            end(partition);
        }
        List<String> files = List.copyOf(finished);
        finished.clear();
        finishedFiles.clear();
        return files;
    }

    /** Removes the files that {@link #finish} has not returned. */
    @Override
    public void close() throws IOException {
        for (Partition partition : open.partitions()) {
            DataFileWriter file = open.get(partition);
            open.closed(partition);
            if (file != null) {
                file.close();
            }
        }
        for (Path file : finishedFiles) {
            Files.deleteIfExists(file);
        }
        if (table != null) {
            table.close();
        }
    }
}
