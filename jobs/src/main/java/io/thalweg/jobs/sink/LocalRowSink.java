package io.thalweg.jobs.sink;

import io.thalweg.jobs.block.Emission;
import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedRowJson;
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
        return new Writer(LocalStreams.of(jobId), view.isKeyed() ? keyed() : withRings());
    }

    /** Appends one row of a block. */
    private interface RowWriter {
        void write(Emission rows, int row, ByteArrayOutputStream out);
    }

    private RowWriter withRings() {
        RowJson json = new RowJson(view);
        return (rows, row, out) -> json.write(((Emission.Rows) rows).block(), row, out);
    }

    private RowWriter keyed() {
        KeyedRowJson json = new KeyedRowJson(view);
        return (rows, row, out) -> out.writeBytes(json.value(((Emission.Keyed) rows).block(), row));
    }

    private record Writer(LocalStreams streams, RowWriter rows) implements SinkWriter<Emission> {
        @Override
        public void write(Emission emission, Context context) throws IOException {
            if (emission instanceof Emission.Done) {
                return;
            }
            ByteArrayOutputStream lines = new ByteArrayOutputStream(1024 * emission.rows());
            for (int row = 0; row < emission.rows(); row++) {
                rows.write(emission, row, lines);
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
