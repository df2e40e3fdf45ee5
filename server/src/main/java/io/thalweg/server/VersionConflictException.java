package io.thalweg.server;

/** Versions of a view that cannot be served as was asked. The message says why, and what to do. */
public final class VersionConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VersionConflictException(String message) {
        super(message);
    }
}
