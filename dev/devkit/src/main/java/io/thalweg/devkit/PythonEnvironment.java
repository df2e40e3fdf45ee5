package io.thalweg.devkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A package from PyPI, in a virtual environment that later runs reuse.
 *
 * @param bin its programs and {@code python}
 */
public record PythonEnvironment(Path bin) {
    private static final Duration PATIENCE = Duration.ofMinutes(6);

    /**
     * Installs a package unless it is installed.
     *
     * @param name of the environment's folder, with the version of the package
     * @param requirement for pip, with the version
     * @throws IllegalStateException if that is not possible here; the message is one line with the reason
     */
    public static PythonEnvironment installed(String name, String requirement) throws IOException {
        String caches = System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        Path home = Path.of(caches, "thalweg", name);
        Path complete = home.resolve("complete");
        if (!Files.exists(complete)) {
            Files.createDirectories(home);
            install(requirement, home, "python3", "-m", "venv", "--clear", "venv");
            String pip = home.resolve("venv/bin/pip").toString();
            install(
                    requirement,
                    home,
                    pip,
                    "install",
                    "--quiet",
                    "--retries",
                    "2",
                    "--disable-pip-version-check",
                    requirement);
            Files.createFile(complete);
        }
        return new PythonEnvironment(home.resolve("venv/bin"));
    }

    private static void install(String requirement, Path home, String... command) {
        Path said = home.resolve("install.log");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw cannot(requirement, command[0] + " takes more than " + PATIENCE.toMinutes() + " minutes");
            }
            if (process.exitValue() != 0) {
                throw cannot(requirement, lastLine(said));
            }
        } catch (IOException e) {
            throw cannot(requirement, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cannot(requirement, "interrupted");
        }
    }

    private static String lastLine(Path said) throws IOException {
        List<String> lines = Files.readAllLines(said).stream()
                .filter(line -> !line.isBlank())
                .toList();
        return lines.isEmpty() ? "it does not say why" : lines.get(lines.size() - 1);
    }

    private static IllegalStateException cannot(String requirement, String why) {
        return new IllegalStateException(requirement + " cannot be installed here: " + why);
    }
}
