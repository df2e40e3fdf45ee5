package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** Writes rows as JSON lines to the job's stream in this process. */
public record LocalRowSink(FeatureView view, String jobId) implements Sink<OutputItem> {
    @Override
    public SinkWriter<OutputItem> createWriter(WriterInitContext context) {
        return new Writer(LocalStreams.of(jobId), RowJson.of(view));
    }

    private record Writer(LocalStreams streams, RowJson json) implements SinkWriter<OutputItem> {
        @Override
        public void write(OutputItem item, Context context) throws IOException {
            if (!(item instanceof OutputItem.Rows rows)) {
                return;
            }
            ByteArrayOutputStream lines = new ByteArrayOutputStream(1024 * item.rows());
            for (int row = 0; row < item.rows(); row++) {
                json.write(rows.block(), row, lines);
                lines.write('\n');
            }
            streams.writeRows(lines.toByteArray(), lines.size());
        }

        @Override
        public void flush(boolean endOfInput) {
            // Lines are handed over as they come.
        }

        @Override
        public void close() {
            // The stream belongs to the command.
        }
    }
}
