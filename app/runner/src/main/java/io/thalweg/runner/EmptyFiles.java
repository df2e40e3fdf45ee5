package io.thalweg.runner;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Warns of files without rows: they are skipped, but may be those of a writer that failed. */
public final class EmptyFiles {
    private static final int NAMED = 10;

    private EmptyFiles() {}

    /**
     * Prints a line that names files, if there are any.
     *
     * @param name of what reads them
     */
    public static void report(String name, List<Path> files, Console console) {
        if (!files.isEmpty()) {
            console.err().println(warning(name, files));
        }
    }

    private static String warning(String name, List<Path> files) {
        String more = files.size() > NAMED ? " and %d more".formatted(files.size() - NAMED) : "";
        return "%s: skipped %d file%s without rows: %s%s"
                .formatted(
                        name,
                        files.size(),
                        files.size() == 1 ? "" : "s",
                        files.stream().limit(NAMED).map(Path::toString).collect(Collectors.joining(", ")),
                        more);
    }
}
