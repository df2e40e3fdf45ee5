package io.thalweg.store;

import org.jspecify.annotations.Nullable;

/**
 * The store cannot be opened, is closed, or failed: not the caller's mistake. The message names the store and, where there is
 * one, the remedy; the kind says whether to try again.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Whether a retry can succeed. */
    public enum Kind {
        /** The store is away, busy or full: the same call may succeed later. */
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
