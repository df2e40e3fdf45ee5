package io.thalweg.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store cannot be opened, is closed, or fails through no mistake of the caller. The message names the store
 * and the remedy if there is one. The kind says whether to retry.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Whether a retry can succeed. */
    public enum Kind {
        /** The store is unreachable, busy or full: the same call may succeed later. */
        PASSING,
        /** Some of the rows cannot be written, neither now nor later; others can. */
        ROWS,
        /** An operator has to act first. */
        LASTING
    }

    private final Kind kind;

    /** A lasting failure. */
    public StoreException(String message) {
        this(message, null);
    }

    /** A lasting failure. */
    public StoreException(String message, @Nullable Throwable cause) {
        this(Kind.LASTING, message, cause);
    }

    /** A failure of any kind. */
    public StoreException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Whether a retry can succeed. */
    public Kind kind() {
        return kind;
    }
}
