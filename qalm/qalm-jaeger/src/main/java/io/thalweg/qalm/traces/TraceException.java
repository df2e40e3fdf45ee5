package io.thalweg.qalm.traces;

/** Thrown if traces cannot be fetched or read; the message names the source and the reason. */
public final class TraceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TraceException(String message) {
        super(message);
    }

    TraceException(String message, Throwable cause) {
        super(message, cause);
    }
}
