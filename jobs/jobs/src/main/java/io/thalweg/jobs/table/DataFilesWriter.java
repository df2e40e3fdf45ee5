package io.thalweg.jobs.table;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.OpenFiles;
import io.thalweg.tables.iceberg.DataFileWriter;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.Partition;
import io.thalweg.tables.iceberg.Partitioner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes the data files of one subtask, one at a time for each partition. No file stays open across a checkpoint. Beyond {@link
 * OpenFileLimits#FILES}, the least recently written file is finished.
 */
final class DataFilesWriter implements CommittingSinkWriter<ColumnBatch, String> {
    private final TableSpec spec;
    private final Partitioner partitioner;
    private final List<String> finished = new ArrayList<>();
    private final OpenFiles<Partition, DataFileWriter> open = OpenFileLimits.newFiles();
    private @Nullable IcebergTableWriter table;

    DataFilesWriter(TableSpec spec) {
        this.spec = spec;
        partitioner = spec.layout().partitioner();
    }

    @Override
    public void write(ColumnBatch batch, Context context) throws IOException {
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
        if (file.bytes() >= spec.targetFile()) {
            end(partition);
        }
        for (Partition excess : open.excess()) {
            end(excess);
        }
    }

    private DataFileWriter begin(Partition partition) throws IOException {
        IcebergTableWriter into = table == null ? IcebergTableWriter.open(spec.table(), spec.layout()) : table;
        table = into;
        return into.newFile(spec.run(), partition, spec.compression(), OpenFileLimits.ROW_GROUP_BYTES);
    }

    private void end(Partition partition) throws IOException {
        DataFileWriter file = open.get(partition);
        if (file != null) {
            finished.add(file.finish());
            open.closed(partition);
        }
    }

    @Override
    public void flush(boolean endOfInput) {
        // prepareCommit finishes the files.
    }

    @Override
    public Collection<String> prepareCommit() throws IOException {
        for (Partition partition : open.partitions()) {
            end(partition);
        }
        List<String> files = List.copyOf(finished);
        finished.clear();
        return files;
    }

    @Override
    public void close() throws IOException {
        for (Partition partition : open.partitions()) {
            DataFileWriter file = open.get(partition);
            open.closed(partition);
            if (file != null) {
                file.close();
            }
        }
        if (table != null) {
            table.close();
        }
    }
}
