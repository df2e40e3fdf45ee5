package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/** Thrown if a warehouse refuses a request or does not respond. */
public class WarehouseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WarehouseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
