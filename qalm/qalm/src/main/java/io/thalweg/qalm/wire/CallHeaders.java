package io.thalweg.qalm.wire;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Criticality;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The values that the headers of a request carry. Unknown and malformed values count as absent, because headers are not trusted.
 *
 * @param caller the caller's name, not authenticated; {@code unknown} if absent
 * @param asked the criticality asked for; null if absent
 * @param timeoutNanos how long the caller waits; {@link Call#NO_DEADLINE} if absent
 * @param affinity a hash of the trace; the {@code otherwise} of {@link #read} if absent
 * @param attempt 1, or more for a retry
 */
public record CallHeaders(String caller, @Nullable Criticality asked, long timeoutNanos, int affinity, int attempt) {
    /** The criticality of a call: a level or a name. */
    public static final String CRITICALITY = "x-qos-criticality";
    /** The name of the caller. */
    public static final String CALLER = "x-qos-caller";
    /** In answers while the gate is closed: calls of a higher rank are refused. */
    public static final String THRESHOLD = "x-qos-threshold";
    /** In refusals, and in all answers while the gate is closed: {@code lane=…;level=3;reason=gate}, for operators. */
    public static final String DECISION = "x-qos-decision";
    /** In refusals: the delay before a retry in ms, negative for no retry. Defined by gRPC. */
    public static final String PUSHBACK = "grpc-retry-pushback-ms";
    /** How long the caller waits, in HTTP. Defined by Envoy. */
    public static final String TIMEOUT_MS = "x-envoy-expected-rq-timeout-ms";

    private static final int NAME_MAX = 100;
    private static final Pattern BACKGROUND = Pattern.compile("(.*,)?\\s*u=7\\s*(,.*)?");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    /**
     * Reads the headers.
     *
     * @param header the value of a header by its lower-case name; null if absent
     * @param otherwise the affinity of a call without a trace; it should differ per call, so that such calls are not shed together
     */
    public static CallHeaders read(Function<String, @Nullable String> header, int otherwise) {
        return new CallHeaders(
                caller(header),
                criticality(header),
                timeoutNanos(header),
                affinity(header, otherwise),
                attempt(header));
    }

    private static String caller(Function<String, @Nullable String> header) {
        String name = header.apply(CALLER);
        if (name == null) {
            name = header.apply("rpc-caller");
        }
        if (name == null) {
            name = Baggage.entry(header.apply("baggage"), "service");
        }
        if (name == null) {
            name = product(header.apply("user-agent"));
        }
        return name == null || name.isBlank() ? "unknown" : name.substring(0, Math.min(NAME_MAX, name.length()));
    }

    private static @Nullable String product(@Nullable String userAgent) {
        return userAgent == null ? null : userAgent.split("[/ ]", 2)[0];
    }

    private static @Nullable Criticality criticality(Function<String, @Nullable String> header) {
        Criticality asked = Criticality.parse(header.apply(CRITICALITY));
        if (asked == null) {
            asked = Criticality.parse(Baggage.entry(header.apply("baggage"), "criticality"));
        }
        return asked == null && isBackground(header.apply("priority")) ? Criticality.BACKGROUND : asked;
    }

    /** RFC 9218 defines the priority of response bytes, not criticality, but its "background" is a reliable sign of level 3. */
    private static boolean isBackground(@Nullable String priority) {
        return priority != null && BACKGROUND.matcher(priority).matches();
    }

    private static long timeoutNanos(Function<String, @Nullable String> header) {
        Long grpc = GrpcTimeout.parse(header.apply("grpc-timeout"));
        if (grpc != null) {
            return grpc;
        }
        Long millis = number(header.apply(TIMEOUT_MS));
        return millis == null || millis <= 0 ? Call.NO_DEADLINE : millis * 1_000_000;
    }

    private static int attempt(Function<String, @Nullable String> header) {
        Long before = number(header.apply("grpc-previous-rpc-attempts"));
        if (before != null) {
            return (int) (1 + before);
        }
        Long attempt = number(header.apply("x-envoy-attempt-count"));
        return attempt == null ? 1 : (int) Math.max(1, attempt);
    }

    private static int affinity(Function<String, @Nullable String> header, int otherwise) {
        String trace = header.apply("traceparent");
        String[] parts = trace == null ? new String[0] : trace.split("-", 4);
        return parts.length == 4 ? parts[1].hashCode() : otherwise;
    }

    /** Parses a whole number of at most nine digits; null otherwise. */
    private static @Nullable Long number(@Nullable String text) {
        return text != null && NUMBER.matcher(text).matches() ? Long.valueOf(text) : null;
    }
}
