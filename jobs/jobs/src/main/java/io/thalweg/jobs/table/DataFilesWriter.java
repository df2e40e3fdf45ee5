package io.thalweg.jobs.table;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.iceberg.PartitionedFiles;
import java.io.IOException;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;

/** Writes the data files of one subtask. No file stays open across a checkpoint. */
final class DataFilesWriter implements CommittingSinkWriter<ColumnBatch, String> {
    private final PartitionedFiles files;

    DataFilesWriter(TableSpec spec) {
        files = new PartitionedFiles(
                spec.table(),
                spec.layout(),
                new PartitionedFiles.Form(spec.run(), spec.compression(), spec.targetFile()));
    }

    @Override
    public void write(ColumnBatch batch, Context context) throws IOException {
        files.write(batch);
    }

    @Override
    public void flush(boolean endOfInput) {
        // prepareCommit finishes the files.
    }

    @Override
    public Collection<String> prepareCommit() throws IOException {
        return files.finish();
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
