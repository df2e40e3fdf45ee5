package io.thalweg.server;

import java.util.List;

/** A request that is not answered, with what the caller is told; it carries no stack trace. */
final class Refusal extends RuntimeException {
    private final transient Code code;
    private final transient List<Problem> problems;

    Refusal(Code code, String message) {
        this(code, message, List.of());
    }

    private Refusal(Code code, String message, List<Problem> problems) {
        super(message, null, false, false);
        this.code = code;
        this.problems = problems;
    }

    /** All problems of a request, told together. */
    static Refusal of(List<Problem> problems) {
        List<String> lines = problems.stream().map(Problem::line).toList();
        return new Refusal(Code.INVALID_ARGUMENT, String.join("; ", lines), List.copyOf(problems));
    }

    static Refusal invalid(String message) {
        return new Refusal(Code.INVALID_ARGUMENT, message);
    }

    Code code() {
        return code;
    }

    List<Problem> problems() {
        return problems;
    }

    String message() {
        return String.valueOf(getMessage());
    }

    /** What is wrong at one place of a request, such as {@code entities[17].cell}. */
    record Problem(String path, String message) {
        String line() {
            return path + ": " + message;
        }
    }

    /** Named as in gRPC. */
    enum Code {
        INVALID_ARGUMENT(400),
        NOT_FOUND(404),
        UNIMPLEMENTED(405),
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
