package io.thalweg.jobs.file;

import io.thalweg.jobs.JobAccounts;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the events of a job that reads files, so that another thread of this process can take a checkpoint or end the job
 * between two known events. A job without a gate reads its files to the end. A single reader asks for {@link #room}; several readers
 * {@link #take} their events from a shared allowance.
 *
 * <p><b>Threads.</b> Safe: the job's readers wait at the gate, and any thread may move it.
 */
public final class FileGate {
    private long allowed;
    private long taken;
    private CompletableFuture<Void> moved = new CompletableFuture<>();
    private CompletableFuture<Void> reached = new CompletableFuture<>();

    private FileGate() {}

    /** Creates a closed gate for a job that has not been started and reads files of one source. */
    public static FileGate register(String jobId) {
        FileGate gate = new FileGate();
        new JobAccounts(jobId).put(FileGate.class, gate);
        return gate;
    }

    /** Returns the gate of a job; null if the job has none or runs in another process. */
    public static @Nullable FileGate of(String jobId) {
        return new JobAccounts(jobId).find(FileGate.class);
    }

    /**
     * Moves the gate behind the first {@code events} events of the input. The result completes when the reader has emitted them
     * and waits. It never completes if the input has fewer events, because the job then ends.
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

    /** Returns how many more events may be read after {@code read} events; 0 means that the reader is at the gate. */
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

    /** Takes at most {@code most} of the events that may be read and returns how many; 0 if all are taken. */
    public synchronized long take(long most) {
        long granted = Math.max(0, Math.min(most, allowed - taken));
        taken += granted;
        if (granted == 0) {
            reached.complete(null);
        }
        return granted;
    }

    /** Gives back events that were taken but not read. */
    public synchronized void giveBack(long events) {
        taken -= events;
        move(allowed);
    }

    /** Completes when there are events to {@link #take}. */
    public synchronized CompletableFuture<Void> opened() {
        return beyond(taken);
    }
}
