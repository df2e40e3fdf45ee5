package io.thalweg.devkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

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
    private static final Duration PATIENCE = Duration.ofMinutes(6);

    /**
     * Installs it, if it is not there.
     *
     * @throws IllegalStateException if that cannot be done here; the message says why in one line
     */
    public static FeastEnvironment installed() throws IOException {
        String caches = System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        Path home = Path.of(caches, "thalweg", "feast-" + VERSION);
        Path complete = home.resolve("complete");
        if (!Files.exists(complete)) {
            Files.createDirectories(home);
            install(home, "python3", "-m", "venv", "--clear", "venv");
            String pip = home.resolve("venv/bin/pip").toString();
            install(home, pip, "install", "--quiet", "--retries", "2", "--disable-pip-version-check", REQUIREMENT);
            Files.createFile(complete);
        }
        return new FeastEnvironment(home.resolve("venv/bin"));
    }

    private static void install(Path home, String... command) {
        Path said = home.resolve("install.log");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw cannot(command[0] + " takes more than " + PATIENCE.toMinutes() + " minutes");
            }
            if (process.exitValue() != 0) {
                throw cannot(lastLine(said));
            }
        } catch (IOException e) {
            throw cannot(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cannot("interrupted");
        }
    }

    private static String lastLine(Path said) throws IOException {
        List<String> lines = Files.readAllLines(said).stream()
                .filter(line -> !line.isBlank())
                .toList();
        return lines.isEmpty() ? "it does not say why" : lines.get(lines.size() - 1);
    }

    private static IllegalStateException cannot(String why) {
        return new IllegalStateException(REQUIREMENT + " cannot be installed here: " + why);
    }
}
