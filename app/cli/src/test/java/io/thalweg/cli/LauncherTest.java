package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the options with which the launcher starts java, by a fake java that only prints its arguments. */
@DisabledOnOs(OS.WINDOWS)
@SuppressWarnings("NullAway.Init")
class LauncherTest {
    private static final Path LAUNCHER = Checkout.file("thalweg");
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    Path folder;

    private Path temporary;

    @BeforeEach
    void makeJava() throws IOException {
        temporary = Files.createDirectory(folder.resolve("tmp"));
        Path bin = Files.createDirectories(folder.resolve("jdk/bin"));
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        Path java = Files.writeString(bin.resolve("java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    private List<String> options(String javaOptions, String... arguments) {
        return options(LAUNCHER, Map.of("THALWEG_NO_BUILD", "1", "THALWEG_JAVA_OPTS", javaOptions), arguments);
    }

    private List<String> options(Path file, Map<String, String> variables, String... arguments) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "THALWEG_NO_INSTALL",
                "1",
                "JAVA_HOME",
                folder.resolve("jdk").toString(),
                "TMPDIR",
                temporary.toString()));
        environment.putAll(variables);
        List<String> command = Stream.concat(Stream.of("bash", file.toString()), Stream.of(arguments))
                .toList();
        try (Subprocess launcher = Subprocess.start(folder, environment, command)) {
            assertThat(launcher.awaitExit(PATIENCE))
                    .as(launcher.stderr().toString())
                    .isZero();
            return Stream.concat(launcher.stdout().stream(), launcher.stderr().stream())
                    .flatMap(LauncherTest::expanded)
                    .toList();
        }
    }

    /** The options that java reads from a file of the launcher in place of an argument. */
    private static Stream<String> expanded(String argument) {
        if (!argument.startsWith("@/")) {
            return Stream.of(argument);
        }
        try {
            return Files.readAllLines(Path.of(argument.substring(1))).stream()
                    .filter(line -> !line.startsWith("#"))
                    .flatMap(line -> Stream.of(line.split(" ", -1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Path> folders() throws IOException {
        try (Stream<Path> folders = Files.list(temporary)) {
            return folders.toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "run", "publish", "materialize", "serve"})
    void start_serverOrJob_exitsWithoutMemoryAndHasAFolderOfItsOwn(String command) throws IOException {
        List<String> options = options("", command, "views.yaml");
        List<String> second = options("", command, "views.yaml");

        assertThat(options)
                .contains("-XX:+ExitOnOutOfMemoryError")
                .endsWith("io.thalweg.cli.Main", command, "views.yaml");
        assertThat(folders()).hasSize(2).allSatisfy(own -> {
            assertThat(own.getFileName().toString()).startsWith("thalweg-process-");
            assertThat(Stream.of(options, second))
                    .as("java's folder is the one that the program locks")
                    .anyMatch(given ->
                            given.contains("-Djava.io.tmpdir=" + own) && given.contains("-Dthalweg.tmpdir=" + own));
        });
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void start_jobBesideAServer_onlyTheLowestPriorityOfJavaIsLowered() throws IOException {
        for (String command : List.of("run", "demo")) {
            assertThat(options("", command, "views.yaml"))
                    .contains(
                            "-XX:ThreadPriorityPolicy=1",
                            "-XX:JavaPriority1_To_OSPriority=10",
                            "-XX:JavaPriority2_To_OSPriority=0",
                            "-XX:JavaPriority10_To_OSPriority=0");
        }
        assertThat(options("", "serve", "views.yaml")).noneMatch(option -> option.contains("Priority"));
    }

    /** Asks java itself, which prints its options and starts nothing; those of a job on standard error. */
    @ParameterizedTest
    @CsvSource({
        "run, '', 2048, 2048",
        "run, -Xmx384m, 384, 384",
        "run, -Xmx1g -Dname=-Xmx9g -Xmx512m, 512, 512",
        "run, -Xmx1g -Xms256m, 256, 1024",
        "serve, -Xms64m, 64, 2048",
        "validate, -Xms64m, 64, 512"
    })
    void start_heap_isWholeFromTheStartForJobsOnly(String command, String javaOptions, long initialMib, long maxMib) {
        Map<String, String> variables = Map.of(
                "JAVA_HOME",
                System.getProperty("java.home"),
                "THALWEG_NO_BUILD",
                "1",
                "THALWEG_JAVA_OPTS",
                javaOptions + " -XX:+PrintFlagsFinal -version");

        assertThat(options(LAUNCHER, variables, command, "views.yaml"))
                .anyMatch(line -> line.matches(".* InitialHeapSize += " + (initialMib << 20) + " .*"))
                .anyMatch(line -> line.matches(".* MaxHeapSize += " + (maxMib << 20) + " .*"));
    }

    @Test
    void start_userNamesAFolderForTemporaryFiles_itIsKept() throws IOException {
        List<String> options = options("-Djava.io.tmpdir=/elsewhere -Xmx3g", "run", "views.yaml");

        assertThat(options)
                .containsSubsequence("-Xmx2g", "-Djava.io.tmpdir=/elsewhere", "-Xmx3g")
                .noneMatch(option -> option.startsWith("-Dthalweg.tmpdir"));
        assertThat(folders()).isEmpty();
    }

    @Test
    void start_shortCommand_makesNoFolder() throws IOException {
        assertThat(options("", "validate", "views.yaml"))
                .contains("-XX:+ExitOnOutOfMemoryError", "-Dthalweg.short=true")
                .as("options that keep java from using its own archive of modules")
                .noneMatch(option -> option.startsWith("--add-"));
        assertThat(folders()).isEmpty();
    }

    @Test
    void start_inADistribution_runsItsJarsAndWritesNothingBesideThem() throws IOException {
        Path distribution = Files.createDirectories(folder.resolve("thalweg-0"));
        Files.createDirectories(distribution.resolve("lib"));
        Files.createDirectories(distribution.resolve("build"));
        Files.createDirectories(distribution.resolve("build/options"));
        for (String file : List.of(
                "thalweg",
                "build/jdk.sh",
                "build/java.options",
                "build/options/short.options",
                "build/options/bench.options",
                "build/class-archive.sh")) {
            Files.copy(LAUNCHER.resolveSibling(file), distribution.resolve(file));
        }

        for (String command : List.of("tune", "bench")) {
            assertThat(options(distribution.resolve("thalweg"), Map.of("THALWEG_NO_BUILD", "0"), command))
                    .containsSubsequence("-cp", distribution.resolve("lib") + "/*", "io.thalweg.cli.Main", command);
        }
        assertThat(options(distribution.resolve("thalweg"), Map.of("THALWEG_NO_BUILD", "1"), "validate"))
                .containsSubsequence("io.thalweg.cli.Main", "validate")
                .anyMatch(option -> option.endsWith(":" + distribution.resolve("lib") + "/*"));
        assertThat(distribution.toFile().list()).containsExactlyInAnyOrder("thalweg", "lib", "build");
        assertThat(distribution.resolve("lib")).isEmptyDirectory();
    }
}
