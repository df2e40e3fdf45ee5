package io.thalweg.server.http;

import io.thalweg.live.LiveUnavailableException;
import io.thalweg.store.StoreException;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request that is refused, with the message for the caller; it has no stack trace. */
public final class RefusedRequestException extends RuntimeException {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedRequestException.class);

    /** Messages are also sent in headers, whose size is bounded. */
    private static final int MESSAGE_MAX = 2_000;

    private final transient Code code;
    private final transient List<Problem> problems;

    public RefusedRequestException(Code code, String message) {
        this(code, message, List.of());
    }

    private RefusedRequestException(Code code, String message, List<Problem> problems) {
        super(cut(message, MESSAGE_MAX + 100), null, false, false);
        this.code = code;
        this.problems = problems;
    }

    /**
     * Creates a refusal for several problems of a request.
     *
     * @param count of all problems, including those not given
     */
    static RefusedRequestException of(List<Problem> problems, int count) {
        String lines = problems.stream().map(Problem::line).collect(Collectors.joining("; "));
        int more = count - problems.size();
        String message = more == 0 ? cut(lines, MESSAGE_MAX) : cut(lines, MESSAGE_MAX) + "; and " + more + " more";
        return new RefusedRequestException(Code.INVALID_ARGUMENT, message, List.copyOf(problems));
    }

    /** Returns the answer to a caller after a failure. Failures of the server are logged here, and only here. */
    public static RefusedRequestException of(Throwable failure) {
        if (failure instanceof RefusedRequestException refusal) {
            return refusal;
        }
        if (failure instanceof LiveUnavailableException away) {
            return new RefusedRequestException(
                    away.overloaded() ? Code.RESOURCE_EXHAUSTED : Code.UNAVAILABLE, String.valueOf(away.getMessage()));
        }
        if (failure instanceof StoreException) {
            LOG.error("the store failed a read: {}", failure.getMessage(), failure);
            return new RefusedRequestException(Code.UNAVAILABLE, "the online store is not available; try again later");
        }
        LOG.error("a request failed", failure);
        return new RefusedRequestException(Code.INTERNAL, "internal error; the server's log has more");
    }

    private static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
        return text.substring(0, end) + "…";
    }

    public static RefusedRequestException invalid(String message) {
        return new RefusedRequestException(Code.INVALID_ARGUMENT, message);
    }

    public Code code() {
        return code;
    }

    List<Problem> problems() {
        return problems;
    }

    public String message() {
        return String.valueOf(getMessage());
    }

    /** A problem at one place of a request, such as {@code entities[17].cell}. */
    public record Problem(String path, String message) {
        private static final int PATH_MAX = 100;
        private static final int MESSAGE_MAX = 300;

        public Problem {
            path = cut(path, PATH_MAX);
            message = cut(message, MESSAGE_MAX);
        }

        String line() {
            return path + ": " + message;
        }
    }

    /** The codes of gRPC. */
    public enum Code {
        INVALID_ARGUMENT(400),
        NOT_FOUND(404),
        UNIMPLEMENTED(405),
        UNAUTHENTICATED(401),
        PERMISSION_DENIED(403),
        ABORTED(409),
        INTERNAL(500),
        UNAVAILABLE(503),
        RESOURCE_EXHAUSTED(503),
        DEADLINE_EXCEEDED(504);

        private final int http;

        Code(int http) {
            this.http = http;
        }

        int http() {
            return http;
        }
    }
}
