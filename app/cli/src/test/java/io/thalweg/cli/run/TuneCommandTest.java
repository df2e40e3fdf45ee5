package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.thalweg.testing.FreePorts;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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
    void tune_noAddress_looksForTheDemo() throws Exception {
        assumeTrue(isFree(8081), "something listens where a demo would");

        CommandRun run = tune();

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("cannot reach http://127.0.0.1:8081", "server.admin_port", "--admin");
    }

    private static boolean isFree(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return false;
        } catch (ConnectException e) {
            return true;
        }
    }
}
