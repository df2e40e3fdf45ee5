package io.thalweg.qalm.registry;

import java.util.List;

/** A document that cannot be used; tells all that is wrong with it. */
public final class RulesException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    RulesException(String document, List<String> problems) {
        super(document + ": " + String.join("\n" + document + ": ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line each: path, rule, value, remedy. */
    public List<String> problems() {
        return problems;
    }
}
