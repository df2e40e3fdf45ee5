package io.thalweg.tables;

import java.util.List;

/** Thrown when a table does not fit its definition. */
public final class UnfitTableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param problems each with the key of the definition, the rule, the actual value, and the remedy
     */
    UnfitTableException(List<String> problems) {
        super(String.join("\n", problems));
    }
}
