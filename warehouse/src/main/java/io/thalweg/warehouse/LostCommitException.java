package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/** Rows that a checkpoint counts as written cannot become visible any more, or those of a later checkpoint already are. */
public final class LostCommitException extends WarehouseException {
    private static final long serialVersionUID = 1L;

    public LostCommitException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
