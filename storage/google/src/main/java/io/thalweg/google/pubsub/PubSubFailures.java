package io.thalweg.google.pubsub;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import io.grpc.Status;
import java.util.Set;

/** Classifies failures of the service by whether they may be transient. */
final class PubSubFailures {
    private static final Set<StatusCode.Code> PASSING = Set.of(
            StatusCode.Code.UNAVAILABLE,
            StatusCode.Code.ABORTED,
            StatusCode.Code.INTERNAL,
            StatusCode.Code.CANCELLED,
            StatusCode.Code.DEADLINE_EXCEEDED,
            StatusCode.Code.RESOURCE_EXHAUSTED,
            StatusCode.Code.UNKNOWN);

    private PubSubFailures() {}

    static StatusCode.Code codeOf(Throwable failure) {
        return failure instanceof ApiException api
                ? api.getStatusCode().getCode()
                : StatusCode.Code.valueOf(
                        Status.fromThrowable(failure).getCode().name());
    }

    /** Whether a retry may succeed. */
    static boolean mayPass(Throwable failure) {
        return PASSING.contains(codeOf(failure));
    }

    /** Describes a failure for messages. */
    static String text(Throwable failure) {
        return codeOf(failure) + ": " + failure.getMessage();
    }
}
