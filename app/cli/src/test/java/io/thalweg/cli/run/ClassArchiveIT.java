package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** java loads the classes of commands from the archive, and starts without any output if it cannot. */
@Tag("test")
class ClassArchiveIT {
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private List<String> version(List<String> options) {
        List<String> command = new ArrayList<>(Launched.program("-Xmx1g"));
        command.removeAll(ClassArchive.options());
        command.addAll(1, options);
        command.add("--version");
        try (Subprocess version = Subprocess.start(folder, Map.of(), command)) {
            assertThat(version.awaitExit(PATIENCE)).isZero();
            assertThat(version.stderr()).isEmpty();
            return version.stdout();
        }
    }

    @Test
    void archive_ofTheUsualCommands_hasTheirClasses() throws Exception {
        if (ClassArchive.options().isEmpty()) { // the build failed to create it
            ClassArchive.forgetAttempt();
            assertThat(ClassArchive.make()).isEmpty();
        }
        List<String> options = new ArrayList<>(ClassArchive.options());
        options.add("-Xlog:class+load");

        assertThat(version(options))
                .anyMatch(line -> line.contains("io.thalweg.cli.Main source: shared objects file (top)"));
    }

    @Test
    void archive_thatIsNone_isIgnoredSilently() throws Exception {
        Path broken = Files.writeString(folder.resolve("broken.jsa"), "no archive\n".repeat(10_000));

        assertThat(version(List.of("-XX:SharedArchiveFile=" + broken, "-Xlog:cds*=off")))
                .isEqualTo(version(List.of()));
    }
}
