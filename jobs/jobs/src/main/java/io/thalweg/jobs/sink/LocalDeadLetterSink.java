package io.thalweg.jobs.sink;

import io.thalweg.formats.DeadLetter;
import java.io.IOException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** Writes dead letters as JSON lines to the job's stream in this process. */
public record LocalDeadLetterSink(String jobId) implements Sink<DeadLetter> {
    @Override
    public SinkWriter<DeadLetter> createWriter(WriterInitContext context) {
        return new Writer(LocalStreams.of(jobId));
    }

    private record Writer(LocalStreams streams) implements SinkWriter<DeadLetter> {
        @Override
        public void write(DeadLetter letter, Context context) throws IOException {
            streams.writeDeadLetter(letter.toJson());
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
