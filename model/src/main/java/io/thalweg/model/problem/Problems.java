package io.thalweg.model.problem;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects problems, so that all of them are reported together. */
public final class Problems {
    private final List<Problem> found = new ArrayList<>();

    public void add(String file, int line, String path, String message) {
        Problem problem = new Problem(file, line, path, message);
        if (!found.contains(problem)) {
            found.add(problem);
        }
    }

    public int count() {
        return found.size();
    }

    /** Throws if there are problems; orders files as they were read, and the problems of a file by line. */
    public void throwIfAny() {
        if (!found.isEmpty()) {
            List<String> files = found.stream().map(Problem::file).distinct().toList();
            throw new DefinitionException(found.stream()
                    .sorted(Comparator.<Problem>comparingInt(p -> files.indexOf(p.file()))
                            .thenComparingInt(Problem::line))
                    .toList());
        }
    }
}
