package io.thalweg.tables;

import java.util.ArrayList;
import java.util.List;

/** Thrown when a table does not fit its definition. */
public final class UnfitTableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ArrayList<String> problems;

    /**
     * Creates an exception.
     *
     * @param problems each with the key of the definition, the rule, the actual value, and the remedy
     */
    UnfitTableException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = new ArrayList<>(problems);
    }

    /** Returns the same problems, each of a key of the definition, unless it names one. */
    UnfitTableException at(String key) {
        UnfitTableException named = new UnfitTableException(problems.stream()
                .map(problem -> problem.startsWith("source.") ? problem : key + ": " + problem)
                .toList());
        named.initCause(this);
        return named;
    }
}
