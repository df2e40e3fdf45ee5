package io.thalweg.devkit.google;

import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong in a {@link BigQueryFake}, on demand.
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
    private volatile boolean away;

    /** The next appends end with these instead of being done. */
    public synchronized void beforeAppend(Status... statuses) {
        beforeAppend.addAll(java.util.List.of(statuses));
    }

    /** The next appends are done, and then their connection ends with these. */
    public synchronized void afterAppend(Status... statuses) {
        afterAppend.addAll(java.util.List.of(statuses));
    }

    /** The next commits end with these instead of being done. */
    public synchronized void beforeFlush(Status... statuses) {
        beforeFlush.addAll(java.util.List.of(statuses));
    }

    /** The next commits are done, and their answer is this. */
    public synchronized void afterFlush(Status... statuses) {
        afterFlush.addAll(java.util.List.of(statuses));
    }

    /** How long each append of a connection takes. */
    public void appendDelayMs(long ms) {
        appendDelayMs.set(ms);
    }

    /** Rows with a text of which this is true are refused. */
    public void refuse(Predicate<String> text) {
        refusedText = text;
    }

    /** Whether the service is away: every request ends with UNAVAILABLE. */
    public void away(boolean now) {
        away = now;
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

    private static Status gone() {
        return Status.UNAVAILABLE.withDescription("the service is away");
    }

    boolean isAway() {
        return away;
    }

    long delayMs() {
        return appendDelayMs.get();
    }

    boolean refuses(String text) {
        return refusedText.test(text);
    }
}
