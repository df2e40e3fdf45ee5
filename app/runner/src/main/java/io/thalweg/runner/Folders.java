package io.thalweg.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Removes folders. */
public final class Folders {
    private Folders() {}

    /** Removes a folder and its contents. A file that disappears meanwhile is not a failure. */
    public static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** Removes a temporary folder as far as possible; the system removes the rest. */
    public static void deleteQuietly(Path folder) {
        try {
            delete(folder);
        } catch (IOException | UncheckedIOException e) {
            // The system clears its temporary folder.
        }
    }
}
