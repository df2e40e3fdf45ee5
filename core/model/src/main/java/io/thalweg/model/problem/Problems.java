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

    /** Returns the problems; files are in the order in which they were read, the problems of a file by line. */
    public List<Problem> sorted() {
        List<String> files = found.stream().map(Problem::file).distinct().toList();
        return found.stream()
                .sorted(Comparator.<Problem>comparingInt(p -> files.indexOf(p.file()))
                        .thenComparingInt(Problem::line))
                .toList();
    }

    /** Throws if there are problems. */
    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new DefinitionException(sorted());
        }
    }
}
