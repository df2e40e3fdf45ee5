package io.thalweg.model.problem;

import java.util.List;
import java.util.stream.Collectors;

/** Files that cannot be used as they are, with all their problems. The message has one line for each. */
public final class DefinitionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<Problem> problems;

    /** With at least one problem. */
    public DefinitionException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** In the order of the files and their lines. */
    public List<Problem> problems() {
        return problems;
    }
}
