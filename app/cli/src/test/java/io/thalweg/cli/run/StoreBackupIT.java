package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg store}: a backup of the store of a running server is a store again, after the server was killed and its disk lost. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class StoreBackupIT {
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    Path folder;

    private final int port = FreePorts.next();
    private final int adminPort = FreePorts.next();

    @BeforeEach
    void fill() throws IOException {
        Files.createDirectory(folder.resolve("table"));
        Files.writeString(folder.resolve("table/part.csv"), "driver_id,trips\n1,17\n2,4\n");
        Files.writeString(folder.resolve("drivers.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: drivers
                source: {csv: table}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}]
                online: {ttl: 7d}
                """);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: backed-up
                store: {path: store}
                checkpoints: {dir: checkpoints}
                server: {port: %d, admin_port: %d}
                views: [drivers.yaml]
                """.formatted(port, adminPort));
        run(0, "materialize", "drivers.yaml", "--quiet");
    }

    private List<String> run(int exitCode, String... arguments) {
        List<Object> command = new ArrayList<>(Arrays.asList((Object[]) arguments));
        try (Subprocess process = Launched.start(folder, Map.of("USER", "alice"), command.toArray())) {
            assertThat(process.awaitExit(PATIENCE)).as("%s", process.stderr()).isEqualTo(exitCode);
            return exitCode == 0 ? process.stdout() : process.stderr();
        }
    }

    private Subprocess serve() {
        Subprocess server = Launched.start(folder, "serve");
        server.awaitLine("serving http", PATIENCE);
        return server;
    }

    private String trips() {
        return String.join(
                "", run(0, "get", "drivers", "-e", "driver=1", "--json", "--server", "http://127.0.0.1:" + port));
    }

    private void requireServed() {
        try (Subprocess server = serve()) {
            assertThat(trips()).contains("17");
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Tag("faults")
    @Test
    void backup_ofARunningServer_isRestoredAfterItsDiskWasLost() throws IOException {
        String admin = "http://127.0.0.1:" + adminPort;
        Path backup;
        try (Subprocess server = serve()) {
            assertThat(trips()).contains("17");
            assertThat(run(1, "store", "backup", "elsewhere"))
                    .anyMatch(line -> line.contains("in use by another process"))
                    .anyMatch(line -> line.contains("--admin"));
            backup = Path.of(
                    run(0, "store", "backup", "nightly", "--admin", admin).get(0));
            assertThat(backup).isEqualTo(folder.toRealPath().resolve("store-backups/nightly"));
            assertThat(run(2, "store", "backup", "nightly", "--admin", admin))
                    .anyMatch(line -> line.contains("exists; name another one"));
            server.signal(Subprocess.Signal.KILL);
            server.awaitExit(PATIENCE);
        }
        Files.move(folder.resolve("store"), folder.resolve("lost"));

        run(0, "store", "restore", backup.toString());
        requireServed();
    }

    @Tag("soak")
    @Test
    void backup_withoutAProcess_isACopyOfTheFolder() throws IOException {
        assertThat(run(0, "store", "backup", "copies/first"))
                .containsExactly(folder.toRealPath().resolve("copies/first").toString());
        Files.move(folder.resolve("store"), folder.resolve("old"));
        run(0, "store", "restore", "copies/first");
        assertThat(run(2, "store", "restore", "copies/first")).anyMatch(line -> line.contains("is not empty"));
        requireServed();
    }
}
