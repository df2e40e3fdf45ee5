package io.thalweg.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for events that must happen.
 *
 * <p><b>Limit.</b> A wait ends when the event happens, so the limit costs nothing in a test that passes. It is therefore far
 * above what a busy machine needs, and no test should set a lower one: a test must fail because of the code, not because of
 * the load.
 *
 * <p><b>Pauses.</b> Between two looks the thread sleeps, at first for 50 µs and later for up to 5 ms: a wait that is soon over costs
 * no time, and a long one does not take a processor from the code that it waits for.
 *
 * <p><b>Errors.</b> An event that does not happen within {@link #PATIENCE} is an {@link AssertionError} that names the event. A
 * wait that is interrupted is an {@link IllegalStateException}, and the thread stays interrupted.
 */
public final class Await {
    /** How long a test waits for one event. */
    public static final Duration PATIENCE = Duration.ofMinutes(5);

    /**
     * The limit for {@code @Timeout} of a test that could otherwise wait forever. It is above {@link #PATIENCE}, so that a wait
     * which fails can name its event first.
     */
    public static final long TIMEOUT_SECONDS = 600;

    private static final long FIRST_PAUSE_NANOS = 50_000;
    private static final long LONGEST_PAUSE_NANOS = 5_000_000;

    private Await() {}

    /** Waits until {@code condition} holds. A checked exception from the condition is an {@link AssertionError}. */
    public static void until(String what, Callable<Boolean> condition) {
        until(() -> what, condition);
    }

    /** Waits until {@code condition} holds; {@code what} describes the event, and may show the state at the end. */
    public static void until(Supplier<String> what, Callable<Boolean> condition) {
        long begun = System.nanoTime();
        for (long pauseNanos = FIRST_PAUSE_NANOS;
                !holds(what, condition);
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS)) {
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                throw missing(what.get());
            }
            LockSupport.parkNanos(pauseNanos);
            if (Thread.interrupted()) {
                throw interrupted(what.get(), new InterruptedException());
            }
        }
    }

    /** Waits for the result of {@code future}, and throws as {@link Future#get()} does. */
    public static <T> T get(Future<T> future) throws ExecutionException, InterruptedException {
        try {
            return future.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw missing("the result of " + future);
        }
    }

    /** Waits until {@code latch} is at 0. */
    public static void zero(String what, CountDownLatch latch) {
        try {
            if (!latch.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw missing(what + "; the count is " + latch.getCount());
            }
        } catch (InterruptedException e) {
            throw interrupted(what, e);
        }
    }

    /** Waits until {@code thread} has ended. */
    public static void end(Thread thread) {
        until("the end of " + thread, () -> !thread.isAlive());
    }

    /** Waits until {@code thread} waits for something, with or without a limit. It must not end. */
    public static void blocked(Thread thread) {
        until("a wait of " + thread, () -> {
            if (!thread.isAlive()) {
                throw new AssertionError(thread + " ended instead of waiting");
            }
            return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
        });
    }

    private static boolean holds(Supplier<String> what, Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            throw interrupted(what.get(), e);
        } catch (Exception e) {
            throw new AssertionError("failed while waiting for " + what.get(), e);
        }
    }

    private static AssertionError missing(String what) {
        return new AssertionError("within " + PATIENCE + " did not happen: " + what);
    }

    private static IllegalStateException interrupted(String what, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for " + what, e);
    }
}
