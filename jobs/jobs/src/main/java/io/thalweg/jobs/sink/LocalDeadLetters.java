package io.thalweg.jobs.sink;

import io.thalweg.jobs.deadletters.DeadLetters;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes dead letters as lines to the job's stream in this process. */
public record LocalDeadLetters(String jobId) implements DeadLetters {
    @Override
    public Writer open(int subtask) {
        return new Writer() {
            @Override
            public void write(byte[] letter) {
                try {
                    LocalStreams.of(jobId).writeDeadLetter(letter);
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot write dead letters", e);
                }
            }

            @Override
            public void flush() {
                // Lines are handed over as they come.
            }

            @Override
            public void close() {
                // The stream belongs to the command.
            }
        };
    }
}
