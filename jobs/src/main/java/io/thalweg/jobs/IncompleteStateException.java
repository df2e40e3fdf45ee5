package io.thalweg.jobs;

import java.io.IOException;

/** A checkpoint or savepoint that was cut short: its metadata is missing or damaged. That the storage fails is another failure. */
public final class IncompleteStateException extends IOException {
    private static final long serialVersionUID = 1;

    IncompleteStateException(String message) {
        super(message);
    }

    IncompleteStateException(String message, Exception cause) {
        super(message, cause);
    }
}
