package io.thalweg.qalm.registry;

import java.util.List;

/** Thrown if a document is not valid; the message lists all its problems. */
public final class RulesException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    /**
     * @param document its name, which begins each line of the message
     * @param problems one line each: path, rule, value, remedy
     */
    public RulesException(String document, List<String> problems) {
        super(document + ": " + String.join("\n" + document + ": ", problems));
        this.problems = List.copyOf(problems);
    }

    /** The problems, one line each: path, rule, value, remedy. */
    public List<String> problems() {
        return problems;
    }
}
