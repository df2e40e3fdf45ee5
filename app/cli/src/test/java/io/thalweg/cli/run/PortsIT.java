package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.ListeningSockets;
import io.thalweg.testing.Subprocess;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Every command in a process of its own: it listens on loopback only, and a killed one leaves no temporary files. */
@Timeout(Await.TIMEOUT_SECONDS)
@EnabledOnOs(OS.LINUX)
@SuppressWarnings("NullAway.Init")
class PortsIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    /** Flink's ports: its REST endpoint and its BLOB server. */
    private static final int FLINK = 2;

    private static EmbeddedKafka kafka;

    @TempDir
    Path folder;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    private void deploymentConfig(int port) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                kafka: {default: {bootstrap: "%s"}}
                store: {path: store}
                checkpoints: {dir: checkpoints}
                server: {port: %d, admin_port: 0}
                """.formatted(kafka.bootstrap(), port));
    }

    private Path view() throws IOException {
        Path view = SmallViews.demand(folder);
        Files.writeString(view, Files.readString(view) + "sink: {topic: demand-rows}\n");
        return view;
    }

    /** Requires that all ports are on loopback, until the process listens on the expected number and for a while after that. */
    private static void assertLoopbackOnly(Subprocess process, int expected) throws InterruptedException {
        ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
        TreeSet<Integer> seen = new TreeSet<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int looksLeft = 20; looksLeft > 0; looksLeft -= seen.size() >= expected ? 1 : 0) {
            List<InetSocketAddress> sockets = ListeningSockets.of(handle);
            assertThat(sockets)
                    .as("sockets of %s", process.stderr())
                    .allMatch(socket -> socket.getAddress().isLoopbackAddress());
            sockets.forEach(socket -> seen.add(socket.getPort()));
            assertThat(process.isAlive()).as("alive: %s", process.stderr()).isTrue();
            assertThat(System.nanoTime()).as("%s of %d ports", seen, expected).isLessThan(deadline);
            Thread.sleep(100);
        }
    }

    @Tag("faults")
    @Test
    void demo_itsBrokerJobServerAdminAndLivePorts_areLoopback() throws Exception {
        try (Subprocess demo = Launched.start(folder, "demo", "--port", FreePorts.next(), "--speed", 20)) {
            demo.awaitLine("^serving http", PATIENCE);
            // The broker and its controller, the server, the admin port, live reads.
            assertLoopbackOnly(demo, FLINK + 5);
        }
    }

    @Tag("faults")
    @Test
    void runFromFiles_itsPorts_areLoopback() throws Exception {
        try (Subprocess run = Launched.start(folder, "run", view(), "--input", "-", "--output", "rows.jsonl")) {
            assertLoopbackOnly(run, FLINK);
        }
    }

    @Tag("faults")
    @Test
    void runAndServe_theirPorts_areLoopbackAndForeignHostsRefused() throws Exception {
        kafka.createTopic("rider-events", 1, Map.of());
        int port = FreePorts.next();
        deploymentConfig(port);
        Path view = view();
        try (Subprocess run = Launched.start(folder, "run", view, "--config", "thalweg.yaml")) {
            run.awaitLine("^serving http", PATIENCE);
            // The server, the admin port, live reads.
            assertLoopbackOnly(run, FLINK + 3);
            assertThat(status(port, "/v1/views", "127.0.0.1:" + port)).isEqualTo(200);
            assertThat(status(port, "/v1/views", "thalweg.example:" + port)).isEqualTo(403);
        }
        try (Subprocess serve = Launched.start(folder, "serve", view, "--config", "thalweg.yaml")) {
            serve.awaitLine("serving http", PATIENCE);
            assertLoopbackOnly(serve, 2);
        }
    }

    @Tag("faults")
    @Test
    void serve_everyAddress_needsTlsAndAuthentication() throws Exception {
        int port = FreePorts.next();
        TestCertificate certificate = TestCertificate.create(folder, "server");
        String server = "store: {path: store}\nserver: {bind: 0.0.0.0, port: %d%s}\n";
        Files.writeString(folder.resolve("thalweg.yaml"), server.formatted(port, ""));
        Path view = view();
        try (Subprocess serve = Launched.start(folder, "serve", view, "--config", "thalweg.yaml")) {
            assertThat(serve.awaitExit(PATIENCE)).isEqualTo(2);
            assertThat(serve.stderr()).anyMatch(line -> line.contains("server.bind: must be a loopback address"));
        }

        Files.writeString(folder.resolve("thalweg.yaml"), server.formatted(port, ", insecure: true"));
        try (Subprocess serve = Launched.start(folder, "serve", view, "--config", "thalweg.yaml")) {
            serve.awaitLine("server.insecure: the ports on 0.0.0.0 are open to other machines; ", PATIENCE);
        }
        Files.delete(folder.resolve(".thalweg/log/thalweg.log"));

        Files.writeString(
                folder.resolve("thalweg.yaml"),
                server.formatted(
                        port,
                        ", tls: {certificate: %s, key: %s}, auth: {callers: callers.yaml}"
                                .formatted(certificate.certificate(), certificate.key())));
        try (Subprocess token = Launched.start(folder, "token", "checkout", "--callers", "callers.yaml")) {
            assertThat(token.awaitExit(PATIENCE)).isZero();
        }
        try (Subprocess serve = Launched.start(folder, "serve", view, "--config", "thalweg.yaml")) {
            serve.awaitLine("serving https://0.0.0.0:" + port, PATIENCE);
            assertThat(ListeningSockets.of(ProcessHandle.of(serve.pid()).orElseThrow()))
                    .extracting(InetSocketAddress::getPort)
                    .containsOnly(port);
            assertThat(Files.readString(folder.resolve(".thalweg/log/thalweg.log")))
                    .doesNotContain("twg_")
                    .doesNotContain("server.insecure");
        }
    }

    /** Java's own client does not let a request name another host. */
    private static int status(int port, String path, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            String request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ", 3)[1]);
        }
    }

    @Tag("faults")
    @Test
    void publish_itsPorts_areLoopback() throws Exception {
        kafka.createTopic("demand-rows", 1, Map.of());
        deploymentConfig(FreePorts.next());
        try (Subprocess publish = Launched.start(folder, "publish", view(), "--config", "thalweg.yaml")) {
            assertLoopbackOnly(publish, FLINK);
        }
    }

    @Tag("faults")
    @Test
    void materialize_itsPorts_areLoopback() throws Exception {
        deploymentConfig(FreePorts.next());
        Files.createDirectory(folder.resolve("lake"));
        Files.writeString(
                folder.resolve("lake/drivers.csv"),
                IntStream.range(0, 10_000)
                        .mapToObj(i -> i + "," + i + ",2026-11-20T00:00:00Z\n")
                        .collect(Collectors.joining("", "driver_id,trips,ts\n", "")));
        Path spec = Files.writeString(folder.resolve("driver_stats.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                source: {csv: lake}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}]
                event_time: {field: ts}
                online: {ttl: 10000d}
                """);
        try (Subprocess materialize =
                Launched.start(folder, "materialize", spec, "--config", "thalweg.yaml", "--rate", 10)) {
            assertLoopbackOnly(materialize, FLINK);
        }
    }

    private Path rides() throws IOException {
        Files.writeString(
                folder.resolve("ride.json"),
                "{\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"string\"}}}");
        return Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {topic: rides, format: json, schema: {file: ride.json}}
                sink: {parquet: rides}
                """);
    }

    @Tag("faults")
    @Test
    void ingest_itsPorts_areLoopback() throws Exception {
        Path spec = rides();
        // A pipe without a writer, so that the job runs until it is stopped.
        Path pipe = folder.resolve("events.jsonl");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        try (Subprocess ingest = Launched.start(folder, "ingest", spec, "--input", pipe)) {
            assertLoopbackOnly(ingest, FLINK);
        }
    }

    @Tag("faults")
    @Test
    void ingestOfATopic_itsPorts_areLoopbackAndForeignHostsRefused() throws Exception {
        kafka.createTopic("rides", 1, Map.of());
        int port = FreePorts.next();
        deploymentConfig(port);
        Path spec = rides();
        try (Subprocess ingest = Launched.start(folder, "ingest", spec, "--config", "thalweg.yaml", "--port", port)) {
            ingest.awaitLine("^console at http", PATIENCE);
            assertLoopbackOnly(ingest, FLINK + 1);
            assertThat(status(port, "/metrics", "127.0.0.1:" + port)).isEqualTo(200);
            assertThat(status(port, "/metrics", "thalweg.example:" + port)).isEqualTo(403);
        }
    }

    @Tag("faults")
    @Test
    void run_killed_leavesTemporaryFilesToTheNextOneToSweep() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path view = view();
        try (Subprocess killed = Launched.start(
                folder, launchedIn(temporary, "1"), "run", view, "--input", "-", "--output", "rows.jsonl")) {
            assertLoopbackOnly(killed, FLINK);
        } // close kills
        assertThat(jars(temporary)).isPositive();

        Path events = Files.writeString(folder.resolve("events.jsonl"), "");
        try (Subprocess next = Launched.start(
                folder, launchedIn(temporary, "2"), "run", view, "--input", events, "--output", "rows.jsonl")) {
            assertThat(next.awaitExit(PATIENCE)).as(next.stderr().toString()).isZero();
        }
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    /** Returns the environment with which the launcher starts java. */
    private static Map<String, String> launchedIn(Path temporary, String name) throws IOException {
        Path own = Files.createDirectory(temporary.resolve("thalweg-process-" + name));
        return Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=%s -Dthalweg.tmpdir=%s".formatted(own, own));
    }

    /** Starts the program as users do; java sees the folder that the launcher creates. */
    private Subprocess launch(Path temporary, Object... arguments) {
        Path launcher = Checkout.file("thalweg");
        List<String> command = Stream.concat(
                        Stream.of("bash", launcher.toString()),
                        Stream.of(arguments).map(String::valueOf))
                .toList();
        Map<String, String> environment = Map.of(
                "TMPDIR",
                temporary.toString(),
                "THALWEG_NO_BUILD",
                "1",
                "THALWEG_JAVA_OPTS",
                Launched.SHORT_LIVED,
                "JAVA_HOME",
                System.getProperty("java.home"));
        return Subprocess.start(folder, environment, command);
    }

    @Tag("soak")
    @Test
    void demo_killedBesideARunThatGoesOn_onlyItsOwnTemporaryFilesAreSwept() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path view = view();
        try (Subprocess running = launch(temporary, "run", view, "--input", "-", "--output", "rows.jsonl")) {
            assertLoopbackOnly(running, FLINK);
            Path kept = onlyEntry(temporary);
            try (Subprocess killed = launch(temporary, "demo", "--port", FreePorts.next(), "--speed", 20)) {
                killed.awaitLine("^serving http", PATIENCE);
                assertThat(jars(temporary)).isEqualTo(2);
                killed.signal(Subprocess.Signal.KILL);
                killed.awaitExit(PATIENCE);
            }
            assertThat(temporary.toFile().list()).hasSize(2);

            Path events = Files.writeString(folder.resolve("events.jsonl"), "");
            try (Subprocess next = launch(temporary, "run", view, "--input", events, "--output", "more.jsonl")) {
                assertThat(next.awaitExit(PATIENCE))
                        .as(next.stderr().toString())
                        .isZero();
            }
            assertThat(onlyEntry(temporary)).isEqualTo(kept);
            assertThat(jars(kept)).isEqualTo(1);

            Launched.interrupt(running);
            running.awaitExit(PATIENCE);
            assertThat(temporary).isEmptyDirectory();
        }
    }

    private static Path onlyEntry(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            List<Path> all = entries.toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }

    private static long jars(Path temporary) throws IOException {
        try (Stream<Path> files = Files.walk(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("flink-rpc"))
                    .count();
        }
    }
}
