package io.thalweg.tables;

import java.util.List;

/** A table that a definition does not fit. */
public final class UnfitTableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * An exception.
     *
     * @param problems each with the key of the definition, the rule, what is there, and the remedy
     */
    UnfitTableException(List<String> problems) {
        super(String.join("\n", problems));
    }
}
