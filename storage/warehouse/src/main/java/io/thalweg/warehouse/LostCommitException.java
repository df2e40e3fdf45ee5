package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/** Thrown if rows that a checkpoint counts as written can no longer become visible, or those of a later checkpoint already are. */
public final class LostCommitException extends WarehouseException {
    private static final long serialVersionUID = 1L;

    public LostCommitException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
