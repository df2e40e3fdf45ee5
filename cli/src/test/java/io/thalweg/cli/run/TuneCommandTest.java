package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code thalweg tune} reports where there is no job to observe. */
class TuneCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private CommandRun tune(Object... more) throws Exception {
        Path config = Files.writeString(folder.resolve("thalweg.yaml"), "deployment: tune\n");
        return CommandRun.of(Stream.concat(Stream.of("tune", "--config", config), Stream.of(more))
                .toArray());
    }

    @Test
    void tune_nobodyListens_namesTheAdminPort() throws Exception {
        String unreachable = "http://127.0.0.1:" + FreePorts.next();
        CommandRun run = tune("--admin", unreachable);
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "thalweg: cannot reach " + unreachable
                                + "\n  hint: start the process with server.admin_port in thalweg.yaml, or name its admin port with --admin\n");
    }

    @Test
    void tune_noUrl_namesItsOption() throws Exception {
        CommandRun run = tune("--admin", "over there");
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).startsWith("thalweg: --admin must be a URL, was 'over there'\n");
    }

    @Test
    void tune_noAdminPort_isWrongUse() throws Exception {
        CommandRun run = tune();
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("thalweg.yaml has neither flink.rest nor server.admin_port", "--admin");
    }
}
