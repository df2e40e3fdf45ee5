package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobAccounts;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The streams that a job of this process writes lines to. Operators are serialised and streams cannot be, so operators look them up
 * here by the job's id.
 *
 * <p><b>Threads.</b> Thread-safe; a batch of lines is written whole.
 */
public final class LocalStreams {
    private final OutputStream rows;
    private final OutputStream deadLetters;

    private LocalStreams(OutputStream rows, OutputStream deadLetters) {
        this.rows = rows;
        this.deadLetters = deadLetters;
    }

    /** Registers the streams of a job; the caller flushes and closes them after the job. */
    public static void register(String jobId, OutputStream rows, OutputStream deadLetters) {
        new JobAccounts(jobId).put(LocalStreams.class, new LocalStreams(rows, deadLetters));
    }

    static LocalStreams of(String jobId) {
        @Nullable LocalStreams streams = new JobAccounts(jobId).find(LocalStreams.class);
        if (streams == null) {
            throw new IllegalStateException("no streams are registered for job " + jobId);
        }
        return streams;
    }

    void writeRows(byte[] lines, int length) throws IOException {
        synchronized (rows) {
            rows.write(lines, 0, length);
        }
    }

    void writeDeadLetter(byte[] line) throws IOException {
        synchronized (deadLetters) {
            deadLetters.write(line);
            deadLetters.write('\n');
        }
    }
}
