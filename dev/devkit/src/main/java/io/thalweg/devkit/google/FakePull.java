package io.thalweg.devkit.google;

import com.google.pubsub.v1.StreamingPullRequest;
import com.google.pubsub.v1.StreamingPullResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.TimeUnit;

/**
 * A stream that receives messages, with the flow control that its first request specifies, and a rate limit.
 *
 * <p><b>Threads.</b> Guarded by its subscription.
 */
final class FakePull {
    /** The unused part of the rate that is kept. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final StreamingPullRequest opening;
    private final ServerCallStreamObserver<StreamingPullResponse> responses;
    private long messages;
    private long bytes;
    /** The time from which the rate allows the next delivery. */
    private long nextNanos = System.nanoTime();

    private long unpaidBytes;

    FakePull(StreamingPullRequest opening, ServerCallStreamObserver<StreamingPullResponse> responses) {
        this.opening = opening;
        this.responses = responses;
    }

    int leaseSeconds() {
        return opening.getStreamAckDeadlineSeconds();
    }

    /** Whether a message may be delivered; limits of 0 or below mean no limit. */
    boolean hasRoom(PubSubFaults faults, long now) {
        if (unpaidBytes > 0) {
            long costNanos = (long) (unpaidBytes * 1e9 / faults.bytesPerSecond());
            nextNanos = Math.max(nextNanos, now - BURST_NANOS) + costNanos;
            unpaidBytes = 0;
        }
        return responses.isReady() && nextNanos - now <= 0 && (faults.ignoresFlowControl() || isBelow());
    }

    private boolean isBelow() {
        return (opening.getMaxOutstandingMessages() <= 0 || messages < opening.getMaxOutstandingMessages())
                && (opening.getMaxOutstandingBytes() <= 0 || bytes < opening.getMaxOutstandingBytes());
    }

    void delivered(int size) {
        messages++;
        bytes += size;
        unpaidBytes += size;
    }

    void freed(int size) {
        messages--;
        bytes -= size;
    }

    void send(StreamingPullResponse response) {
        responses.onNext(response);
    }

    void fail(Status status) {
        responses.onError(status.asRuntimeException());
    }
}
