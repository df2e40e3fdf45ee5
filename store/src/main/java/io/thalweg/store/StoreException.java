package io.thalweg.store;

import org.jspecify.annotations.Nullable;

/**
 * The store cannot be opened, is closed, or failed: neither the caller's mistake nor a wrong row. The message names the
 * store and, where there is one, the remedy.
 */
public final class StoreException extends RuntimeException {
    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
