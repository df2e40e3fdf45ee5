package io.thalweg.qalm.wire;

import io.thalweg.qalm.Outcome;
import java.util.Set;

/** Maps the status of an answer to the outcome of its call, the same in all adapters. */
public final class StatusOutcome {
    private static final int CANCELLED = 1;
    /** {@code DEADLINE_EXCEEDED}, {@code RESOURCE_EXHAUSTED} and {@code UNAVAILABLE}. */
    private static final Set<Integer> GRPC_DROPPED = Set.of(4, 8, 14);

    private static final Set<Integer> HTTP_DROPPED = Set.of(429, 503, 504);

    private StatusOutcome() {}

    /** Returns the outcome for the number of a gRPC status. */
    public static Outcome ofGrpc(int code) {
        if (code == CANCELLED) {
            return Outcome.IGNORED;
        }
        return GRPC_DROPPED.contains(code) ? Outcome.DROPPED : Outcome.SUCCESS;
    }

    /** Returns the outcome for an HTTP status. */
    public static Outcome ofHttp(int status) {
        return HTTP_DROPPED.contains(status) ? Outcome.DROPPED : Outcome.SUCCESS;
    }
}
