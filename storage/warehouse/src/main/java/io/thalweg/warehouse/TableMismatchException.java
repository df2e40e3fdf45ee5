package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/** Thrown if a table is missing, or its columns differ from those of the rows. */
public final class TableMismatchException extends WarehouseException {
    private static final long serialVersionUID = 1L;

    public TableMismatchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
