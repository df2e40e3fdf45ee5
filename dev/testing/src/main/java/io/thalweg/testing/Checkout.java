package io.thalweg.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/** The files of the project, wherever the module lies whose tests read them. */
public final class Checkout {
    /** The folder of the launcher, absolute. */
    public static final Path ROOT = root(Path.of("").toAbsolutePath());

    private Checkout() {}

    /** Returns a file or folder of the project; {@code path} is relative to its root. */
    public static Path file(String path) {
        return ROOT.resolve(path);
    }

    private static Path root(Path folder) {
        if (Files.exists(folder.resolve("mvnw"))) {
            return folder;
        }
        Path parent = folder.getParent();
        if (parent == null) {
            throw new IllegalStateException("tests run from a folder of the project; none above contains mvnw");
        }
        return root(parent);
    }
}
