package io.thalweg.qalm.traces;

/** Traces that cannot be had or read; says from where, and why. */
public final class TraceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TraceException(String message) {
        super(message);
    }

    TraceException(String message, Throwable cause) {
        super(message, cause);
    }
}
