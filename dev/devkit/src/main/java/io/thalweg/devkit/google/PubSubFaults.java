package io.thalweg.devkit.google;

import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Faults of a {@link PubSubFake}, on demand.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class PubSubFaults {
    private final Queue<Status> beforeAcknowledge = new ArrayDeque<>();
    private final Queue<Status> afterAcknowledge = new ArrayDeque<>();
    private final AtomicLong deliveries = new AtomicLong();
    private volatile long duplicateEvery;
    private volatile long bytesPerSecond = Long.MAX_VALUE;
    private volatile boolean away;
    private volatile boolean boundless;

    /** Fails the next acknowledgements with these statuses before they have an effect. */
    public synchronized void beforeAcknowledge(Status... statuses) {
        beforeAcknowledge.addAll(List.of(statuses));
    }

    /** Executes the next acknowledgements, but answers with these statuses. */
    public synchronized void afterAcknowledge(Status... statuses) {
        afterAcknowledge.addAll(List.of(statuses));
    }

    /** Delivers every nth message twice; 0 = none. */
    public void duplicateEvery(long deliveriesPerDuplicate) {
        duplicateEvery = deliveriesPerDuplicate;
    }

    /** Limits the rate of each stream. */
    public void bytesPerSecond(long limit) {
        bytesPerSecond = limit;
    }

    /** Sets whether streams receive messages beyond the limits that they have specified, as with emulators. */
    public void ignoreFlowControl(boolean now) {
        boundless = now;
    }

    boolean ignoresFlowControl() {
        return boundless;
    }

    /** Sets whether the service is unreachable: each request ends with UNAVAILABLE, and nothing is delivered. */
    public void away(boolean now) {
        away = now;
    }

    boolean isAway() {
        return away;
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Counts a delivery, and returns whether it is made twice. */
    boolean isDuplicate() {
        long every = duplicateEvery;
        return every > 0 && deliveries.incrementAndGet() % every == 0;
    }

    synchronized @Nullable Status nextBeforeAcknowledge() {
        return beforeAcknowledge.poll();
    }

    synchronized @Nullable Status nextAfterAcknowledge() {
        return afterAcknowledge.poll();
    }
}
