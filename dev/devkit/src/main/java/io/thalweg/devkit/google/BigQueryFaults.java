package io.thalweg.devkit.google;

import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Faults of a {@link BigQueryFake}, on demand.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class BigQueryFaults {
    private final Queue<Status> beforeAppend = new ArrayDeque<>();
    private final Queue<Status> afterAppend = new ArrayDeque<>();
    private final Queue<Status> beforeFlush = new ArrayDeque<>();
    private final Queue<Status> afterFlush = new ArrayDeque<>();
    private final AtomicLong appendDelayMs = new AtomicLong();
    private volatile Predicate<String> refusedText = text -> false;
    private final AtomicLong turnedAway = new AtomicLong();
    private volatile boolean away;

    /** Fails the next appends with these statuses before they have an effect. */
    public synchronized void beforeAppend(Status... statuses) {
        beforeAppend.addAll(java.util.List.of(statuses));
    }

    /** Executes the next appends, then ends their connections with these statuses. */
    public synchronized void afterAppend(Status... statuses) {
        afterAppend.addAll(java.util.List.of(statuses));
    }

    /** Fails the next commits with these statuses before they have an effect. */
    public synchronized void beforeFlush(Status... statuses) {
        beforeFlush.addAll(java.util.List.of(statuses));
    }

    /** Executes the next commits, but answers with these statuses. */
    public synchronized void afterFlush(Status... statuses) {
        afterFlush.addAll(java.util.List.of(statuses));
    }

    /** Sets how long each append of a connection takes. */
    public void appendDelayMs(long ms) {
        appendDelayMs.set(ms);
    }

    /** Refuses rows that contain a matching text. */
    public void refuse(Predicate<String> text) {
        refusedText = text;
    }

    /** Sets whether the service is unreachable: every request ends with UNAVAILABLE. */
    public void away(boolean now) {
        away = now;
    }

    /** Returns how many requests ended because the service was unreachable. */
    public long turnedAway() {
        return turnedAway.get();
    }

    synchronized @Nullable Status nextBeforeAppend() {
        return away ? gone() : beforeAppend.poll();
    }

    synchronized @Nullable Status nextAfterAppend() {
        return afterAppend.poll();
    }

    synchronized @Nullable Status nextBeforeFlush() {
        return away ? gone() : beforeFlush.poll();
    }

    synchronized @Nullable Status nextAfterFlush() {
        return afterFlush.poll();
    }

    private Status gone() {
        turnedAway.incrementAndGet();
        return Status.UNAVAILABLE.withDescription("the service is away");
    }

    synchronized @Nullable Status beforeRequest() {
        return away ? gone() : null;
    }

    long delayMs() {
        return appendDelayMs.get();
    }

    boolean refuses(String text) {
        return refusedText.test(text);
    }
}
