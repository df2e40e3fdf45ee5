package io.thalweg.devkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Feast as it comes from PyPI, in a virtual environment of its own that later runs find again. To install it takes one to two
 * minutes and 600 MB.
 *
 * @param bin its programs, {@code feast} and {@code python}
 */
public record FeastEnvironment(Path bin) {
    /** The version of the package. */
    public static final String VERSION = "0.67.0";

    /** For its processes: it would tell its makers of every use. */
    public static final Map<String, String> VARIABLES = Map.of("FEAST_USAGE", "False");

    private static final String REQUIREMENT = "feast[redis,grpcio]==" + VERSION;

    /**
     * Installs it, if it is not there.
     *
     * @throws IllegalStateException if that cannot be done here; the message says why in one line
     */
    public static FeastEnvironment installed() throws IOException {
        return new FeastEnvironment(
                PythonEnvironment.installed("feast-" + VERSION, REQUIREMENT).bin());
    }
}
