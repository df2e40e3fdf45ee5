package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts the classes that commands load which answer and end: people wait for them, and each takes part of a millisecond. */
class LoadedClassesTest {
    @TempDir
    Path folder;

    /** Runs a command; returns the classes that its process loads. */
    private List<String> loaded(int exitCode, String... arguments) throws IOException {
        Path log = folder.resolve("classes.log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dthalweg.short=true",
                "-Xlog:class+load:file=" + log,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        try (Subprocess process = Subprocess.start(folder, Map.of(), command)) {
            assertThat(process.awaitExit(Await.PATIENCE))
                    .as(() -> process.stdout() + " " + process.stderr())
                    .isEqualTo(exitCode);
        }
        return Files.readAllLines(log);
    }

    @Test
    void version_loadsAlmostNothing() throws IOException {
        assertThat(loaded(0, "--version"))
                .hasSizeLessThan(900)
                .noneMatch(line -> line.contains("picocli.CommandLine$Model"));
    }

    @Test
    void shortCommands_loadNeitherFlinkNorKafka() throws IOException {
        String view = Checkout.file("examples/demand.yaml").toString();
        for (List<String> command : List.of(
                List.of("validate", view),
                List.of("views", view),
                List.of("explain", view),
                List.of("completion", "bash"))) {
            assertThat(loaded(0, command.toArray(String[]::new)))
                    .as(command.toString())
                    .hasSizeLessThan(4_500)
                    .noneMatch(line -> line.contains(" org.apache.flink.") || line.contains(" org.apache.kafka."));
        }
        assertThat(loaded(1, "get", "demand", "-e", "cell=892a1008003ffff", "--server", "http://127.0.0.1:1"))
                .hasSizeLessThan(4_500)
                .noneMatch(line -> line.contains(" org.apache.flink.") || line.contains(" org.apache.kafka."));
    }
}
