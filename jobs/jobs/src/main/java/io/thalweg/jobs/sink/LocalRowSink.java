package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** Writes rows to the job's output in this process. */
public record LocalRowSink(FeatureView view, String jobId) implements Sink<OutputItem> {
    @Override
    public SinkWriter<OutputItem> createWriter(WriterInitContext context) {
        return new Writer(LocalStreams.of(jobId).rows().open(view));
    }

    private record Writer(LocalRows.BlockWriter out) implements SinkWriter<OutputItem> {
        @Override
        public void write(OutputItem item, Context context) throws IOException {
            if (item instanceof OutputItem.Rows rows) {
                out.write(rows.block());
            }
        }

        @Override
        public void flush(boolean endOfInput) {
            // Rows are handed over as they come.
        }

        @Override
        public void close() {
            // The output belongs to the command.
        }
    }
}
