package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.Emission;
import io.thalweg.model.FeatureView;
import io.thalweg.model.RowBlock;
import io.thalweg.model.RowJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** Writes rows as JSON lines to the job's stream in this process. */
public record LocalRowSink(FeatureView view, String jobId) implements Sink<Emission> {
    @Override
    public SinkWriter<Emission> createWriter(WriterInitContext context) {
        return new Writer(LocalStreams.of(jobId), new RowJson(view));
    }

    private record Writer(LocalStreams streams, RowJson json) implements SinkWriter<Emission> {
        @Override
        public void write(Emission emission, Context context) throws IOException {
            if (emission instanceof Emission.Rows rows) {
                RowBlock block = rows.block();
                ByteArrayOutputStream lines = new ByteArrayOutputStream(1024 * block.rows());
                for (int row = 0; row < block.rows(); row++) {
                    json.write(block, row, lines);
                    lines.write('\n');
                }
                streams.writeRows(lines.toByteArray(), lines.size());
            }
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
