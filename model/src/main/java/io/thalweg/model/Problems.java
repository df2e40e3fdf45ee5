package io.thalweg.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Gathers what is wrong, so that all of it is reported in one go. */
final class Problems {
    private final List<Problem> found = new ArrayList<>();

    void add(String file, int line, String path, String message) {
        Problem problem = new Problem(file, line, path, message);
        if (!found.contains(problem)) {
            found.add(problem);
        }
    }

    int count() {
        return found.size();
    }

    /** Throws if there are any; those of a file by line, files in the order they were read. */
    void throwIfAny() {
        if (!found.isEmpty()) {
            List<String> files = found.stream().map(Problem::file).distinct().toList();
            throw new DefinitionException(found.stream()
                    .sorted(Comparator.<Problem>comparingInt(p -> files.indexOf(p.file()))
                            .thenComparingInt(Problem::line))
                    .toList());
        }
    }
}
