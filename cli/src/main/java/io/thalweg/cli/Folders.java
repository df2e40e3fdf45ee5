package io.thalweg.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Removes folders. */
public final class Folders {
    private Folders() {}

    /** Removes a folder with all that is in it; a file that is removed meanwhile is no failure. */
    public static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** Removes a temporary folder as far as possible: the system clears what is left. */
    public static void deleteQuietly(Path folder) {
        try {
            delete(folder);
        } catch (IOException | UncheckedIOException e) {
            // The system's temporary folder is cleared by the system.
        }
    }
}
