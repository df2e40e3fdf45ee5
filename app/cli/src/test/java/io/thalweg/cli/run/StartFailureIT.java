package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What prevents a command from starting is reported in one line that names the setting, the value and the remedy. */
@Timeout(Await.TIMEOUT_SECONDS)
class StartFailureIT {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path view;

    @SuppressWarnings("NullAway.Init")
    private Path events;

    @SuppressWarnings("NullAway.Init")
    private Path file;

    @BeforeEach
    void writeFiles() throws IOException {
        view = SmallViews.demand(folder);
        events = Files.createFile(folder.resolve("events.jsonl"));
        file = Files.writeString(folder.resolve("file"), "text");
    }

    private Path config(String text) throws IOException {
        return Files.writeString(folder.resolve("thalweg.yaml"), text);
    }

    private static void assertFailed(CommandRun run, int exit, String... parts) {
        assertThat(run.exit()).as(run.err()).isEqualTo(exit);
        assertThat(run.failures()).as(run.err()).hasSize(1);
        assertThat(run.err())
                .contains(parts)
                .doesNotContain("Exception")
                .doesNotContain("java.")
                .doesNotContain("defect");
    }

    @Tag("test")
    @ParameterizedTest
    @ValueSource(strings = {"--output", "--dead-letters"})
    void run_outputBelowAFile_namesWhatIsInTheWay(String option) {
        CommandRun run = CommandRun.of("run", view, "--input", events, option, file.resolve("rows.jsonl"));

        assertFailed(
                run,
                1,
                option + " " + file.resolve("rows.jsonl") + " cannot be written: " + file + " is a file, not a folder",
                "hint: name a file in a folder that this user may write to");
    }

    @Tag("test")
    @Test
    void run_outputInAMissingFolder_makesTheFolder() {
        Path rows = folder.resolve("missing").resolve("too").resolve("rows.jsonl");

        CommandRun run = CommandRun.of("run", view, "--input", events, "--output", rows);

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(rows).exists();
    }

    @Tag("test")
    @Test
    void run_outputOnAFullDisk_namesTheFile() throws IOException {
        Path full = Path.of("/dev/full");
        assumeThat(full).exists();
        Path input = Checkout.file("examples/rider-events.jsonl");
        Files.write(events, Files.readAllLines(input).subList(0, 50));

        CommandRun run = CommandRun.of("run", view, "--input", events, "--output", full, "--quiet");

        assertFailed(run, 1, "--output /dev/full cannot be written: No space left on device");
    }

    @Tag("test")
    @Test
    void run_storeBelowAFile_namesWhatIsInTheWay() throws IOException {
        Path store = file.resolve("store");
        Path config = config("store: {type: rocksdb, path: " + store + "}\n");

        CommandRun run = CommandRun.of("run", view, "--input", events, "--store", "--config", config);

        assertFailed(
                run,
                1,
                "store.path '" + store + "' cannot be created: '" + file.toRealPath() + "' is a file, not a folder",
                "name a path in a folder that this user may write to");
    }

    @Tag("test")
    @Test
    void run_storeWhereNothingCanBeMade_namesThePath() throws IOException {
        Path proc = Path.of("/proc/thalweg");
        assumeThat(proc.getParent()).exists();
        Path config = config("store: {type: rocksdb, path: " + proc + "}\n");

        CommandRun run = CommandRun.of("run", view, "--input", events, "--store", "--config", config);

        assertFailed(run, 1, "store.path '" + proc + "' cannot be created", "name a path in a folder");
    }

    @Tag("test")
    @Test
    void run_variableNotSet_namesVariableKeyFileAndRemedy() throws IOException {
        Path config = config("store: {type: redis, uri: \"redis://:${THALWEG_UNSET}@localhost:1\"}\n");

        CommandRun run = CommandRun.of("run", view, "--config", config);

        assertFailed(
                run,
                2,
                config + ":1: store.uri: the environment variable THALWEG_UNSET is not set",
                "write ${THALWEG_UNSET:-default}");
    }

    @Tag("faults")
    @Test
    void run_brokerDown_namesClusterAddressAndKey() throws IOException {
        String address = "127.0.0.1:" + FreePorts.next();
        Path config = config("kafka: {default: {bootstrap: \"" + address + "\"}}\nstore: {type: rocksdb, path: "
                + folder.resolve("store") + "}\n");

        CommandRun run = CommandRun.of("run", view, "--config", config, "--port", 0);

        assertFailed(
                run,
                1,
                "kafka cluster 'default' at " + address + " does not answer within 10 s",
                "kafka.default.bootstrap in thalweg.yaml");
    }

    @Tag("test")
    @ParameterizedTest
    @ValueSource(strings = {"run", "serve"})
    void call_portOutOfRange_isWrongUse(String command) {
        assertFailed(CommandRun.of(command, view, "--port", 99999), 2, "--port must be 0 to 65535, was 99999");
    }

    @Tag("test")
    @Test
    void run_inputIsNotAPattern_isWrongUse() {
        CommandRun run = CommandRun.of("run", view, "--input", folder.resolve("[*.jsonl"));

        assertFailed(run, 2, "--input " + folder.resolve("[*.jsonl") + " is not a pattern");
    }
}
