package io.thalweg.cli.run;

import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The archive of classes from which processes of the packaged program start, as those of the launcher do. The build creates it
 * before the first test; if that failed, processes start without it.
 */
final class ClassArchive {
    static final Path FILE = Launched.LIB.resolveSibling(
            "classes-of-tests-%d.jsa".formatted(Runtime.version().feature()));

    private static final Path SCRIPT = Checkout.file("build/class-archive.sh");
    /** On a quiet machine, making it takes half a minute. */
    private static final Duration LIMIT = Duration.ofMinutes(8);

    private ClassArchive() {}

    /** The options by which java uses the archive, if there is one. */
    static List<String> options() {
        return Files.exists(FILE) ? List.of("-XX:SharedArchiveFile=" + FILE, "-Xlog:cds*=off") : List.of();
    }

    /**
     * Creates the archive, unless it exists or another process is creating it.
     *
     * @return what it printed before it failed; empty if it did not fail
     */
    static String make() {
        Map<String, String> environment =
                Map.of("JAVA_HOME", System.getProperty("java.home"), "TMPDIR", System.getProperty("java.io.tmpdir"));
        List<String> command = List.of(
                "bash", SCRIPT.toString(), Launched.LIB.toString(), FILE.toString(), String.valueOf(LIMIT.toSeconds()));
        try (Subprocess made = Subprocess.start(Launched.LIB, environment, command)) {
            int exitCode = made.awaitExit(LIMIT.multipliedBy(2));
            return exitCode == 0
                    ? ""
                    : "build/class-archive.sh exited with %d: %s %s".formatted(exitCode, made.stderr(), made.stdout());
        }
    }

    /** Lets the next call create the archive even after a failed attempt. Drops an archive that is being created. */
    static void forgetAttempt() throws IOException {
        Files.deleteIfExists(FILE.resolveSibling(FILE.getFileName() + ".attempt"));
    }
}
