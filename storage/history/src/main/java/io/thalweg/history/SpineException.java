package io.thalweg.history;

/** Reports that labels cannot be used as they are; the message names the column, the row, the value and the remedy. */
public final class SpineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SpineException(String message) {
        super(message);
    }
}
