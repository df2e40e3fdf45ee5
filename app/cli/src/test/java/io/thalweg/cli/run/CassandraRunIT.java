package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.CassandraProcess;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code store: {type: cassandra}}: one process serves what another writes, and a refused login is reported in one line. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class CassandraRunIT {
    private static final Path JARS = Checkout.file("storage/store-cassandra/server/target/lib");
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    static Path server;

    private static CassandraProcess cassandra;

    @TempDir
    Path folder;

    @BeforeAll
    static void startCassandra() {
        cassandra = CassandraProcess.start(server, JARS, FreePorts::next);
    }

    @AfterAll
    static void stopCassandra() {
        cassandra.close();
    }

    @BeforeEach
    void writeFiles() throws IOException {
        SharedStore.writeFiles(folder);
        deploymentConfig("cassandra");
    }

    private void deploymentConfig(String password) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                store: {type: cassandra, contact_points: ["127.0.0.1:%d"], keyspace: market, user: cassandra, password: %s}
                views: [demand.yaml]
                """.formatted(cassandra.port(), password));
    }

    @Tag("test")
    @Test
    void serve_whatARunStored_isReadByAnotherProcess() throws Exception {
        SharedStore.assertWhatARunStoredIsServed(folder);
    }

    @Tag("faults")
    @Test
    void serve_wrongPassword_saysSoInOneLineWithoutIt() throws Exception {
        deploymentConfig("guessed");
        try (Subprocess serve = Launched.start(folder, "serve", "--port", "0")) {
            assertThat(serve.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(serve.stderr())
                    .anySatisfy(line -> assertThat(line)
                            .startsWith(
                                    "thalweg: the store cassandra://127.0.0.1:" + cassandra.port() + "/market refused")
                            .contains("check store.user and store.password"))
                    .noneSatisfy(line -> assertThat(line).contains("guessed"))
                    .noneSatisfy(line -> assertThat(line).contains("\tat "));
        }
    }
}
