package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests how {@code build/class-archive.sh} and the launcher create and use an archive, with a fake java that only writes the file. */
@DisabledOnOs(OS.WINDOWS)
@SuppressWarnings("NullAway.Init")
class ClassArchiveScriptTest {
    private static final Path ROOT = Checkout.ROOT;
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String WRITE = "printf archive >\"$file\"";

    @TempDir
    Path folder;

    private Path lib;
    private Path archive;
    private Path attempt;
    private Path temporary;

    @BeforeEach
    void makeProgram() throws IOException {
        lib = Files.createDirectories(folder.resolve("app/cli/target/thalweg/lib"));
        archive = lib.resolve("classes.jsa");
        attempt = lib.resolve("classes.jsa.attempt");
        temporary = Files.createDirectory(folder.resolve("tmp"));
        Files.createFile(lib.resolveSibling("stamp"));
        Files.createDirectory(folder.resolve("build"));
        for (String file : List.of(
                "thalweg", "build/jdk.sh", "build/compile.sh", "build/java.options", "build/class-archive.sh")) {
            Files.copy(ROOT.resolve(file), folder.resolve(file));
            assertThat(folder.resolve(file).toFile().setExecutable(true)).isTrue();
        }
        Files.createDirectories(folder.resolve("jdk/bin"));
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        java(WRITE);
    }

    /** Installs a fake java that prints its arguments, or runs {@code script} if it should write an archive {@code $file}. */
    private void java(String script) throws IOException {
        Path java = Files.writeString(folder.resolve("jdk/bin/java"), """
                #!/bin/sh
                for option in "$@"; do
                  case $option in -XX:ArchiveClassesAtExit=*) file=${option#*=} ;; esac
                done
                if [ -z "${file:-}" ]; then printf '%%s\\n' "$@"; exit; fi
                echo >>'%s'
                %s
                """.formatted(folder.resolve("made"), script));
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    private Subprocess start(String... command) {
        Map<String, String> environment = Map.of(
                "JAVA_HOME",
                folder.resolve("jdk").toString(),
                "TMPDIR",
                temporary.toString(),
                "THALWEG_NO_INSTALL",
                "1",
                "THALWEG_NO_BUILD",
                "1");
        List<String> words = new ArrayList<>(List.of("bash"));
        words.addAll(List.of(command));
        return Subprocess.start(folder, environment, words);
    }

    /** Runs the script; returns its exit code. */
    private int make() {
        try (Subprocess script = start("build/class-archive.sh", lib.toString(), archive.toString())) {
            return script.awaitExit(PATIENCE);
        }
    }

    private List<String> launch(String command) {
        try (Subprocess launcher = start("thalweg", command, "views.yaml")) {
            assertThat(launcher.awaitExit(PATIENCE))
                    .as(launcher.stderr().toString())
                    .isZero();
            return launcher.stdout();
        }
    }

    private long timesMade() throws IOException {
        return Files.exists(folder.resolve("made")) ? Files.size(folder.resolve("made")) : 0;
    }

    @Test
    void launch_ofAJob_usesTheArchiveOfItsJdk() throws IOException {
        assertThat(launch("ingest")).noneMatch(option -> option.startsWith("-XX:SharedArchiveFile"));

        archive = lib.resolve("classes-%d.jsa".formatted(checksum(folder.resolve("jdk/release"))));
        assertThat(make()).isZero();
        assertThat(launch("ingest")).contains("-XX:SharedArchiveFile=" + archive, "-Xlog:cds*=off");
        assertThat(launch("validate"))
                .as("a short command, which has another archive")
                .noneMatch(option -> option.startsWith("-XX:SharedArchiveFile"));

        archive = lib.resolve("commands-%d.jsa".formatted(checksum(folder.resolve("jdk/release"))));
        assertThat(make()).isZero();
        assertThat(launch("validate")).contains("-XX:SharedArchiveFile=" + archive, "-Xlog:cds*=off");

        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.2\"\n");
        assertThat(launch("ingest")).noneMatch(option -> option.startsWith("-XX:SharedArchiveFile"));
    }

    private long checksum(Path file) {
        try (Subprocess cksum = start("-c", "cksum <'" + file + "'")) {
            assertThat(cksum.awaitExit(PATIENCE)).isZero();
            return Long.parseLong(cksum.stdout().get(0).split(" ", 2)[0]);
        }
    }

    @Test
    void make_byItsName_runsJobsOrCommands() throws IOException {
        Path arguments = folder.resolve("arguments");
        java("printf '%s\\n' \"$@\" >'" + arguments + "'; " + WRITE);
        assertThat(make()).isZero();
        assertThat(Files.readAllLines(arguments)).containsSubsequence("io.thalweg.cli.ClassArchiveRun", "jobs");

        archive = lib.resolve("commands.jsa");
        assertThat(make()).isZero();
        assertThat(Files.readAllLines(arguments)).containsSubsequence("io.thalweg.cli.ClassArchiveRun", "commands");
    }

    @Test
    void make_twice_writesTheArchiveOnceAndLeavesNothingElse() throws IOException {
        assertThat(make()).isZero();
        assertThat(make()).isZero();
        assertThat(timesMade()).isEqualTo(1);

        assertThat(lib).isDirectoryContaining(file -> file.equals(archive));
        assertThat(archive).hasContent("archive");
        assertThat(lib.toFile().list()).hasSize(1);
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void make_javaFails_leavesNoArchiveAndIsRepeatedAnHourLater() throws IOException {
        java(WRITE + "; exit 1");
        assertThat(make()).isEqualTo(1);
        assertThat(make()).isZero();
        assertThat(timesMade()).isEqualTo(1);
        assertThat(lib.toFile().list()).containsExactly("classes.jsa.attempt");

        java(WRITE);
        Files.setLastModifiedTime(attempt, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        assertThat(make()).isZero();
        assertThat(archive).exists();
        assertThat(attempt).doesNotExist();
    }

    @Test
    void make_javaHangs_showsItsThreadsAndFails() throws IOException {
        java("trap 'echo threads >&2' QUIT; while :; do sleep 0.1; done");

        try (Subprocess script = start("build/class-archive.sh", lib.toString(), archive.toString(), "1")) {
            assertThat(script.awaitExit(PATIENCE)).isNotZero();
            assertThat(script.stderr()).contains("build/class-archive.sh: no archive after 1 s", "threads");
        }

        assertThat(lib.toFile().list()).containsExactly("classes.jsa.attempt");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void make_isTerminated_endsJavaAndLeavesNoArchive() throws IOException {
        Path javaPid = folder.resolve("java.pid");
        java("echo $$ >'" + javaPid + "'; echo started >&2; while :; do sleep 0.1; done");

        try (Subprocess script = start("build/class-archive.sh", lib.toString(), archive.toString())) {
            var unused = script.awaitLine("started", PATIENCE);
            script.signal(Subprocess.Signal.TERM);
            assertThat(script.awaitExit(PATIENCE)).isNotZero();
        }

        long pid = Long.parseLong(Files.readString(javaPid).strip());
        assertThat(ProcessHandle.of(pid)).as("java").isEmpty();
        assertThat(lib.toFile().list()).containsExactly("classes.jsa.attempt");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void make_anotherProcessIsAtIt_leavesItToThat() throws IOException {
        Files.createFile(attempt);

        assertThat(make()).isZero();

        assertThat(timesMade()).isZero();
        assertThat(attempt).exists();
    }

    @Test
    void make_aBuildReplacesTheJars_leavesNoArchive() throws IOException {
        java(WRITE + "; rm '" + attempt + "'");

        assertThat(make()).isZero();

        assertThat(timesMade()).isEqualTo(1);
        assertThat(lib).isEmptyDirectory();
    }
}
