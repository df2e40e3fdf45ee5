package io.thalweg.devkit.google;

import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong in a {@link PubSubFake}, on demand.
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

    /** The next acknowledgements end with these instead of being done. */
    public synchronized void beforeAcknowledge(Status... statuses) {
        beforeAcknowledge.addAll(List.of(statuses));
    }

    /** The next acknowledgements are done, and their answers are these. */
    public synchronized void afterAcknowledge(Status... statuses) {
        afterAcknowledge.addAll(List.of(statuses));
    }

    /** One delivery in so many is made twice; 0 = none. */
    public void duplicateEvery(long deliveriesPerDuplicate) {
        duplicateEvery = deliveriesPerDuplicate;
    }

    /** How much a stream delivers. */
    public void bytesPerSecond(long limit) {
        bytesPerSecond = limit;
    }

    /** Whether streams are delivered to beyond the bounds that they have named, as emulators do. */
    public void ignoreFlowControl(boolean now) {
        boundless = now;
    }

    boolean ignoresFlowControl() {
        return boundless;
    }

    /** Whether the service is away: each request ends with UNAVAILABLE, and nothing is delivered. */
    public void away(boolean now) {
        away = now;
    }

    boolean isAway() {
        return away;
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Whether the delivery that is made now is made once more. */
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
