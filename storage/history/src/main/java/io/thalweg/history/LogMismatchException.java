package io.thalweg.history;

/** Reports that a feature log cannot answer what is asked of it; the message states the remedy. */
public final class LogMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LogMismatchException(String message) {
        super(message);
    }
}
