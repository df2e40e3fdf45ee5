package io.thalweg.live;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The live reads of one task: a bounded queue that the task's own thread drains between other work. A turn takes about as many
 * keys as one request may have, so that reads and events take turns.
 *
 * <p><b>Threads.</b> Safe; {@link #close} is called on the task's thread, or after it has ended.
 */
public final class LiveTask implements AutoCloseable {
    /** A core reads some million keys a second, so these wait some milliseconds. */
    private static final int KEYS_WAITING = 10_000;

    private final LiveRoute route;
    private final Executor thread;
    private final LiveReads reads;
    private final Consumer<LiveTask> leave;

    private final Semaphore room = new Semaphore(KEYS_WAITING);
    private final Queue<LiveCall.Part> waiting = new ConcurrentLinkedQueue<>();
    /** Whether a turn is scheduled and has not begun. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile boolean closed;

    LiveTask(LiveRoute route, Executor thread, LiveReads reads, Consumer<LiveTask> leave) {
        this.route = route;
        this.thread = thread;
        this.reads = reads;
        this.leave = leave;
    }

    /** The route by which others reach the task. */
    public LiveRoute route() {
        return route;
    }

    /** Queues keys to answer; returns false if the queue is full. */
    boolean offer(LiveCall.Part part) {
        if (!room.tryAcquire(part.size())) {
            return false;
        }
        boolean prepared = false;
        try {
            prepared = part.prepare(reads);
        } finally {
            if (!prepared) {
                room.release(part.size());
            }
        }
        if (!prepared) {
            return true;
        }
        waiting.add(part);
        schedule();
        if (closed) {
            dropAll();
        }
        return true;
    }

    private void schedule() {
        if (!waiting.isEmpty() && scheduled.compareAndSet(false, true)) {
            try {
                thread.execute(this::turn);
            } catch (RejectedExecutionException e) { // the task has ended
                dropAll();
            }
        }
    }

    private void turn() {
        scheduled.set(false);
        int keys = 0;
        while (keys < LiveEndpoint.MAX_KEYS) {
            LiveCall.Part part = waiting.poll();
            if (part == null) {
                return;
            }
            room.release(part.size());
            part.read();
            keys += part.size();
        }
        schedule();
    }

    private void dropAll() {
        for (LiveCall.Part part = waiting.poll(); part != null; part = waiting.poll()) {
            room.release(part.size());
            part.drop();
        }
    }

    /** Leaves the endpoint; queued keys are answered as NOT_HERE. */
    @Override
    public void close() {
        closed = true;
        leave.accept(this);
        dropAll();
    }
}
