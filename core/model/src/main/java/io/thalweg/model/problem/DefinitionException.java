package io.thalweg.model.problem;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown for files that cannot be used, with all their problems. The message contains one line for each. */
public final class DefinitionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<Problem> problems;

    /** Creates an exception with at least one problem. */
    public DefinitionException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** The problems, ordered by file and line. */
    public List<Problem> problems() {
        return problems;
    }
}
