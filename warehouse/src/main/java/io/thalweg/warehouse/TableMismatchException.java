package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/** A table is missing, or has other columns than the rows. */
public final class TableMismatchException extends WarehouseException {
    private static final long serialVersionUID = 1L;

    public TableMismatchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
