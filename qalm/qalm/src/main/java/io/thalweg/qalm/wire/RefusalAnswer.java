package io.thalweg.qalm.wire;

import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Refusal;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * The answer to a refused call, for gRPC and HTTP. A sheddable call must not be retried, so its gRPC status is not the one that
 * retry policies list by default. A never-drop call may be retried on another server after a short time.
 *
 * @param grpcCode the number of the gRPC status
 * @param httpStatus the HTTP status
 * @param pushbackMs the delay before a retry in ms; negative for no retry
 * @param retryAfterSeconds the delay before a retry for HTTP clients, at least 1
 * @param message for operators
 */
public record RefusalAnswer(int grpcCode, int httpStatus, int pushbackMs, int retryAfterSeconds, String message) {
    private static final int CANCELLED = 1;
    private static final int DEADLINE_EXCEEDED = 4;
    private static final int RESOURCE_EXHAUSTED = 8;
    private static final int UNAVAILABLE = 14;
    private static final int NEVER = -1;
    private static final int PUSHBACK_MS_MIN = 50;
    private static final int PUSHBACK_MS_MAX = 500;
    private static final int RETRY_SECONDS_MAX = 4;

    /** Creates the answer to a refused call; {@code random} spreads the retries. */
    public static RefusalAnswer of(Refusal reason, Criticality criticality, RandomGenerator random) {
        int seconds = random.nextInt(1, RETRY_SECONDS_MAX);
        return switch (reason) {
            case EXPIRED -> new RefusalAnswer(DEADLINE_EXCEEDED, 504, NEVER, seconds, "the deadline has passed");
            case CANCELLED -> new RefusalAnswer(CANCELLED, 503, NEVER, seconds, "cancelled by the caller");
            default ->
                criticality.sheddable()
                        ? new RefusalAnswer(RESOURCE_EXHAUSTED, 503, NEVER, seconds, message(reason, criticality))
                        : new RefusalAnswer(UNAVAILABLE, 503, pushback(random), seconds, message(reason, criticality));
        };
    }

    private static int pushback(RandomGenerator random) {
        return random.nextInt(PUSHBACK_MS_MIN, PUSHBACK_MS_MAX);
    }

    private static String message(Refusal reason, Criticality criticality) {
        return "overloaded: call of level %d refused (%s)"
                .formatted(criticality.level(), reason.name().toLowerCase(Locale.ROOT));
    }

    /** The body of an HTTP answer, {@code application/problem+json}. */
    public String problemJson() {
        return "{\"title\":\"%s\",\"status\":%d}".formatted(message, httpStatus);
    }
}
