package io.thalweg.jobs.sink;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams that a job of this process writes lines to. Operators are serialised and streams cannot be, so operators look them up
 * here by the job's id.
 *
 * <p><b>Threads.</b> Thread-safe; a batch of lines is written whole.
 */
public final class LocalStreams {
    private static final Map<String, LocalStreams> JOBS = new ConcurrentHashMap<>();

    private final OutputStream rows;
    private final OutputStream deadLetters;

    private LocalStreams(OutputStream rows, OutputStream deadLetters) {
        this.rows = rows;
        this.deadLetters = deadLetters;
    }

    /** Registers the streams of a job; the caller flushes and closes them after {@link #unregister}. */
    public static void register(String jobId, OutputStream rows, OutputStream deadLetters) {
        JOBS.put(jobId, new LocalStreams(rows, deadLetters));
    }

    public static void unregister(String jobId) {
        JOBS.remove(jobId);
    }

    static LocalStreams of(String jobId) {
        @Nullable LocalStreams streams = JOBS.get(jobId);
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
