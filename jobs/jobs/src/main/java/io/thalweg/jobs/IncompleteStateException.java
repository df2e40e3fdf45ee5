package io.thalweg.jobs;

import java.io.IOException;

/** Thrown if a checkpoint or savepoint is truncated: its metadata is missing or damaged. Not thrown for storage failures. */
public final class IncompleteStateException extends IOException {
    private static final long serialVersionUID = 1;

    IncompleteStateException(String message) {
        super(message);
    }

    IncompleteStateException(String message, Exception cause) {
        super(message, cause);
    }
}
