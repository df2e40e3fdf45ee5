package io.thalweg.server;

import io.thalweg.live.LiveUnavailableException;
import io.thalweg.server.Refusal.Code;
import io.thalweg.store.StoreException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that may block on the store. When all of them are busy and the queue is full, a read is refused at once. */
final class Readers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Readers.class);

    /** Whether the read of this thread is abandoned; null between reads. */
    private static final ThreadLocal<@Nullable BooleanSupplier> ABANDONED = new ThreadLocal<>();

    private final ThreadPoolExecutor threads;

    Readers(ServerConfig config) {
        this("thalweg-read", config.readThreads(), config.queuedReads());
    }

    /**
     * Creates a pool of threads.
     *
     * @param name of the threads, before their number
     * @param most reads that run at once
     * @param queued reads that may wait
     */
    Readers(String name, int most, int queued) {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(most, most, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(queued), task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Runs a read. The result fails only with a {@link Refusal}. Log messages of the read carry the trace of the caller's
     * request.
     *
     * @param abandoned whether the caller is gone or its deadline has passed: the read is then not started, and one in progress
     *     ends at its next {@link #requireWanted}
     */
    <T> CompletableFuture<T> submit(Supplier<T> read, BooleanSupplier abandoned) {
        CompletableFuture<T> result = new CompletableFuture<>();
        RequestSpan span = RequestSpan.ofRequest();
        String trace = span == null ? TraceId.current() : span.traceId();
        Runnable task = () -> run(read, abandoned, result, span);
        Runnable traced = span == null ? task : span.queued(task); // it waits from here on
        try {
            threads.execute(() -> TraceId.logged(trace, traced));
        } catch (RejectedExecutionException e) {
            fail(new Refusal(Code.RESOURCE_EXHAUSTED, "too many reads are waiting; try again later"), result, span);
        }
        return result;
    }

    private static <T> void run(
            Supplier<T> read, BooleanSupplier abandoned, CompletableFuture<T> result, @Nullable RequestSpan span) {
        ABANDONED.set(abandoned);
        try {
            requireWanted();
            result.complete(read.get());
        } catch (Throwable e) {
            fail(refusal(e), result, span);
        } finally {
            ABANDONED.remove();
        }
    }

    private static void fail(Refusal reason, CompletableFuture<?> result, @Nullable RequestSpan span) {
        if (span != null) {
            span.fail(reason); // before the answer, which ends the span
        }
        result.completeExceptionally(reason);
    }

    /**
     * Ends the read of this thread if its answer is no longer wanted. Must be called in every loop whose length the caller
     * determines. Does nothing outside a read.
     *
     * @throws Refusal DEADLINE_EXCEEDED
     */
    static void requireWanted() {
        BooleanSupplier abandoned = ABANDONED.get();
        if (abandoned != null && abandoned.getAsBoolean()) {
            throw new Refusal(Code.DEADLINE_EXCEEDED, "the deadline of the read has passed");
        }
    }

    /** Returns the answer to a caller after a failure. Failures of the server are logged here, and only here. */
    static Refusal refusal(Throwable failure) {
        if (failure instanceof Refusal refusal) {
            return refusal;
        }
        if (failure instanceof LiveUnavailableException away) {
            return new Refusal(
                    away.overloaded() ? Code.RESOURCE_EXHAUSTED : Code.UNAVAILABLE, String.valueOf(away.getMessage()));
        }
        if (failure instanceof StoreException) {
            LOG.error("the store failed a read: {}", failure.getMessage(), failure);
            return new Refusal(Code.UNAVAILABLE, "the online store is not available; try again later");
        }
        LOG.error("a request failed", failure);
        return new Refusal(Code.INTERNAL, "internal error; the server's log has more");
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
