package io.thalweg.cli.run;

import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The archive of classes from which processes of the packaged program start, as those of the launcher do. The first test that
 * starts a process makes it; what other forks start meanwhile starts without it.
 */
final class ClassArchive {
    static final Path FILE = Launched.LIB.resolve(
            "classes-of-tests-%d.jsa".formatted(Runtime.version().feature()));

    private static final Path SCRIPT =
            Path.of("..", "build", "class-archive.sh").toAbsolutePath().normalize();
    /** On a quiet machine, making it takes half a minute. An attempt that is given up would leave all later processes without it. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private ClassArchive() {}

    /** The options by which java uses the archive, if there is one. */
    static List<String> options() {
        if (!Files.exists(FILE)) {
            make();
        }
        return Files.exists(FILE) ? List.of("-XX:SharedArchiveFile=" + FILE, "-Xlog:cds*=off") : List.of();
    }

    /** Without a look at how it ends: the archive is there or not. */
    private static void make() {
        Map<String, String> environment =
                Map.of("JAVA_HOME", System.getProperty("java.home"), "TMPDIR", System.getProperty("java.io.tmpdir"));
        try (Subprocess made = Subprocess.start(
                Launched.LIB,
                environment,
                List.of("bash", SCRIPT.toString(), Launched.LIB.toString(), FILE.toString()))) {
            var unused = made.ends(PATIENCE);
        }
    }
}
