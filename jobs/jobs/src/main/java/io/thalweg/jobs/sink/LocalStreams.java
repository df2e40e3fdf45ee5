package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobAccounts;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * What a job of this process writes rows and dead letters to. Operators are serialised and streams cannot be, so operators look them up
 * here by the job's id.
 *
 * <p><b>Threads.</b> Thread-safe; a batch of lines is written whole.
 */
public final class LocalStreams {
    private final LocalRows rows;
    private final OutputStream deadLetters;

    private LocalStreams(LocalRows rows, OutputStream deadLetters) {
        this.rows = rows;
        this.deadLetters = deadLetters;
    }

    /** Registers the streams of a job, with rows as JSON lines; the caller flushes and closes them after the job. */
    public static void register(String jobId, OutputStream rows, OutputStream deadLetters) {
        register(jobId, LocalRows.lines(rows), deadLetters);
    }

    /** Registers what a job writes to; the caller flushes and closes it after the job. */
    public static void register(String jobId, LocalRows rows, OutputStream deadLetters) {
        new JobAccounts(jobId).put(LocalStreams.class, new LocalStreams(rows, deadLetters));
    }

    static LocalStreams of(String jobId) {
        @Nullable LocalStreams streams = new JobAccounts(jobId).find(LocalStreams.class);
        if (streams == null) {
            throw new IllegalStateException("no streams are registered for job " + jobId);
        }
        return streams;
    }

    LocalRows rows() {
        return rows;
    }

    void writeDeadLetter(byte[] line) throws IOException {
        synchronized (deadLetters) {
            deadLetters.write(line);
            deadLetters.write('\n');
        }
    }
}
