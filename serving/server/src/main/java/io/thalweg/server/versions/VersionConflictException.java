package io.thalweg.server.versions;

/** Thrown if versions of a view cannot be served as requested. The message gives the reason and the remedy. */
public final class VersionConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VersionConflictException(String message) {
        super(message);
    }
}
