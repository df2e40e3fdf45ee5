package io.thalweg.devkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Feast from PyPI, in a virtual environment that later runs reuse. Installing it takes one to two minutes and 600 MB.
 *
 * @param bin its programs, {@code feast} and {@code python}
 */
public record FeastEnvironment(Path bin) {
    /** The version of the package. */
    public static final String VERSION = "0.67.0";

    /** Environment variables of its processes; they disable usage reports to its makers. */
    public static final Map<String, String> VARIABLES = Map.of("FEAST_USAGE", "False");

    private static final String REQUIREMENT = "feast[redis,grpcio]==" + VERSION;

    /**
     * Installs Feast unless it is installed.
     *
     * @throws IllegalStateException if that is not possible here; the message is one line with the reason
     */
    public static FeastEnvironment installed() throws IOException {
        return new FeastEnvironment(
                PythonEnvironment.installed("feast-" + VERSION, REQUIREMENT).bin());
    }
}
