package io.thalweg.jobs.table;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.iceberg.DataFileWriter;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.jspecify.annotations.Nullable;

/** Writes the data files of one subtask. None stays open over a checkpoint. */
final class TableFiles implements CommittingSinkWriter<ColumnBatch, String> {
    private static final long ROW_GROUP_BYTES = 64L << 20;

    private final TableSpec spec;
    private final List<String> finished = new ArrayList<>();
    private @Nullable IcebergTableWriter table;
    private @Nullable DataFileWriter open;

    TableFiles(TableSpec spec) {
        this.spec = spec;
    }

    @Override
    public void write(ColumnBatch batch, Context context) throws IOException {
        DataFileWriter file = open == null ? begin() : open;
        open = file;
        file.add(batch);
        if (file.bytes() >= spec.targetFile()) {
            end();
        }
    }

    private DataFileWriter begin() throws IOException {
        IcebergTableWriter into = table == null ? IcebergTableWriter.open(spec.table(), spec.rows()) : table;
        table = into;
        return into.newFile(spec.run(), spec.rows(), spec.compression(), ROW_GROUP_BYTES);
    }

    private void end() throws IOException {
        if (open != null) {
            finished.add(open.finish());
            open = null;
        }
    }

    @Override
    public void flush(boolean endOfInput) {
        // Files end in prepareCommit.
    }

    @Override
    public Collection<String> prepareCommit() throws IOException {
        end();
        List<String> files = List.copyOf(finished);
        finished.clear();
        return files;
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
        }
    }
}
