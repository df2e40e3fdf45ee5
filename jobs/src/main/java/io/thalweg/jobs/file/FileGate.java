package io.thalweg.jobs.file;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the events of a job that reads files, so that another thread of this process can take a checkpoint or end the job
 * between two known events. A job without a gate reads its files to the end.
 *
 * <p><b>Threads.</b> Safe: the job's reader waits at the gate, any thread may move it.
 */
public final class FileGate {
    private static final Map<String, FileGate> JOBS = new ConcurrentHashMap<>();

    private long allowed;
    private CompletableFuture<Void> moved = new CompletableFuture<>();
    private CompletableFuture<Void> reached = new CompletableFuture<>();

    private FileGate() {}

    /** The gate of a job that has one source and has not been started: no event passes yet. */
    public static FileGate register(String jobId) {
        FileGate gate = new FileGate();
        JOBS.put(jobId, gate);
        return gate;
    }

    public static void unregister(String jobId) {
        JOBS.remove(jobId);
    }

    static @Nullable FileGate of(String jobId) {
        return JOBS.get(jobId);
    }

    /**
     * Moves the gate behind the first {@code events} events of the input. The result completes when the reader has emitted them
     * and waits; never if the input has fewer, because the job then ends.
     */
    public synchronized CompletableFuture<Void> moveTo(long events) {
        move(events);
        reached = new CompletableFuture<>();
        return reached;
    }

    /** Lets all events pass. */
    public synchronized void open() {
        move(Long.MAX_VALUE);
    }

    private void move(long events) {
        allowed = events;
        moved.complete(null);
        moved = new CompletableFuture<>();
    }

    /** How many events may be read after {@code read} events; at 0 the reader has arrived. */
    synchronized long room(long read) {
        if (read >= allowed) {
            reached.complete(null);
            return 0;
        }
        return allowed - read;
    }

    /** Completes when more than {@code read} events may be read. */
    synchronized CompletableFuture<Void> beyond(long read) {
        return read < allowed ? CompletableFuture.completedFuture(null) : moved;
    }
}
