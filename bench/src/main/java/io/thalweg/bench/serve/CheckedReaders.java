package io.thalweg.bench.serve;

import io.thalweg.bench.load.Readers;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Readers that keep some of their answers, to compare them when nothing is measured: every fiftieth until {@value #MOST} wait, so
 * that the caller, who shares the server's cores, has almost no work with it. {@link #difference} is for one thread.
 */
final class CheckedReaders implements Readers {
    private static final int EACH = 50;
    /** Some ten megabytes: a heap full of answers would make the caller collect garbage. */
    private static final int MOST = 100;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Readers readers;
    private final Check check;
    private final AtomicLong answers = new AtomicLong();
    private final Semaphore room = new Semaphore(MOST);
    private final Queue<Kept> kept = new ConcurrentLinkedQueue<>();
    private String difference = "";

    /** Checks an answer. */
    interface Check {
        /** Returns how an answer differs from the expected one to a request; empty if it does not. */
        String difference(int request, byte[] answer) throws IOException;
    }

    private record Kept(int request, byte[] answer) {}

    CheckedReaders(Readers readers, Check check) {
        this.readers = readers;
        this.check = check;
    }

    @Override
    public int requests() {
        return readers.requests();
    }

    @Override
    public CompletableFuture<byte[]> read(int request) {
        return readers.read(request).thenApply(answer -> {
            if (answers.getAndIncrement() % EACH == 0 && room.tryAcquire()) {
                kept.add(new Kept(request, answer));
            }
            return answer;
        });
    }

    /**
     * Compares the answers to all requests. A server that has just started may refuse some until its code is compiled; these are
     * retried.
     */
    void compareAll() throws IOException {
        long untilNanos = System.nanoTime() + PATIENCE_NANOS;
        for (int request = 0; request < requests(); request++) {
            compare(request, answer(request, untilNanos));
        }
    }

    private byte[] answer(int request, long untilNanos) {
        while (true) {
            try {
                return readers.read(request).join();
            } catch (CompletionException e) {
                if (System.nanoTime() - untilNanos > 0) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void compare(int request, byte[] answer) throws IOException {
        if (difference.isEmpty()) {
            difference = check.difference(request, answer);
        }
    }

    /** Compares the kept answers, which makes room for others. */
    void compareKept() throws IOException {
        for (Kept each = kept.poll(); each != null; each = kept.poll()) {
            compare(each.request(), each.answer());
            room.release();
        }
    }

    /** Returns the first difference of all compared answers, including the kept ones; empty if there is none. */
    String difference() throws IOException {
        compareKept();
        return difference;
    }
}
