package io.thalweg.server.read;

import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.server.telemetry.RequestSpan;
import io.thalweg.server.telemetry.TraceId;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The threads that may block on the store. When all of them are busy and the queue is full, a read is refused at once. */
public final class Readers implements AutoCloseable {
    /** Whether the read of this thread is abandoned; null between reads. */
    private static final ThreadLocal<@Nullable BooleanSupplier> ABANDONED = new ThreadLocal<>();

    private final ThreadPoolExecutor threads;

    /**
     * Creates a pool of threads.
     *
     * @param name of the threads, before their number
     * @param most reads that run at once
     * @param queued reads that may wait
     */
    public Readers(String name, int most, int queued) {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(most, most, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(queued), task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Runs a read. The result fails only with a {@link RefusedRequestException}. Log messages of the read carry the trace of the caller's
     * request.
     *
     * @param abandoned whether the caller is gone or its deadline has passed: the read is then not started, and one in progress
     *     ends at its next {@link #requireWanted}
     */
    public <T> CompletableFuture<T> submit(Supplier<T> read, BooleanSupplier abandoned) {
        CompletableFuture<T> result = new CompletableFuture<>();
        RequestSpan span = RequestSpan.ofRequest();
        String trace = span == null ? TraceId.current() : span.traceId();
        Runnable task = () -> run(read, abandoned, result, span);
        Runnable traced = span == null ? task : span.queued(task); // it waits from here on
        try {
            threads.execute(() -> TraceId.logged(trace, traced));
        } catch (RejectedExecutionException e) {
            fail(
                    new RefusedRequestException(Code.RESOURCE_EXHAUSTED, "too many reads are waiting; try again later"),
                    result,
                    span);
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
            fail(RefusedRequestException.of(e), result, span);
        } finally {
            ABANDONED.remove();
        }
    }

    private static void fail(RefusedRequestException reason, CompletableFuture<?> result, @Nullable RequestSpan span) {
        if (span != null) {
            span.fail(reason); // before the answer, which ends the span
        }
        result.completeExceptionally(reason);
    }

    /**
     * Ends the read of this thread if its answer is no longer wanted. Must be called in every loop whose length the caller
     * determines. Does nothing outside a read.
     *
     * @throws RefusedRequestException DEADLINE_EXCEEDED
     */
    public static void requireWanted() {
        BooleanSupplier abandoned = ABANDONED.get();
        if (abandoned != null && abandoned.getAsBoolean()) {
            throw new RefusedRequestException(Code.DEADLINE_EXCEEDED, "the deadline of the read has passed");
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
