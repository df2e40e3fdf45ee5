package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/** A warehouse refuses what it is asked for, or does not answer. */
public class WarehouseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WarehouseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
