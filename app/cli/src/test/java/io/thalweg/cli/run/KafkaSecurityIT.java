package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All Kafka clients of Thalweg with a broker that requires TLS and a password, configured as in {@code docs/reference/security.md}. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class KafkaSecurityIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String PASSWORD = "s3cret-of-alice";
    private static final int COUNT = 500;
    private static final Pattern SOME_WRITTEN = Pattern.compile("outcome=\"written\"} [1-9]");

    @TempDir
    static Path shared;

    private static EmbeddedKafka kafka;
    private static TestCertificate certificate;

    @TempDir
    Path folder;

    @BeforeAll
    static void startKafka() throws Exception {
        certificate = TestCertificate.create(shared, "kafka");
        kafka = EmbeddedKafka.start(
                shared.resolve("data"),
                new EmbeddedKafka.Secured(certificate.certificate(), certificate.key(), "alice", PASSWORD));
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @BeforeEach
    void define() throws IOException {
        Path examples = Checkout.file("examples");
        Files.copy(examples.resolve("rides.thrift"), folder.resolve("rides.thrift"));
        String ingest = Files.readString(examples.resolve("ride_events.yaml"));
        Files.writeString(folder.resolve("rides.yaml"), ingest.replace("parquet: ../out/rides", "parquet: rides"));
    }

    private void configure(String reader) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                kafka:
                  default:
                    bootstrap: "%s"
                    reader: %s
                    properties:
                      security.protocol: SASL_SSL
                      sasl.mechanism: PLAIN
                      sasl.jaas.config: 'org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="${KAFKA_PASSWORD}";'
                      ssl.truststore.type: PEM
                      ssl.truststore.location: "%s"
                """.formatted(
                        kafka.securedBootstrap(), reader, certificate.certificate()));
    }

    private Subprocess start(String password, Object... arguments) {
        return Launched.start(folder, Map.of("KAFKA_PASSWORD", password), arguments);
    }

    private static void awaitSuccess(Subprocess process) throws InterruptedException {
        assertThat(process.awaitExit(PATIENCE))
                .as(() -> String.join("\n", process.stderr()))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"batches", "consumer"})
    void generateAndIngest_throughSaslSsl_carryAllMessages(String reader) throws Exception {
        configure(reader);
        String topic = "rides-" + reader;
        Path spec = folder.resolve("rides.yaml");
        Files.writeString(spec, Files.readString(spec).replace("rides-thrift", topic));
        kafka.createTopic(topic, 2, Map.of());
        try (Subprocess generate =
                start(PASSWORD, "generate", "rides.yaml", "--count", COUNT, "--seed", 1, "--to", "topic")) {
            awaitSuccess(generate);
        }
        try (Subprocess ingest = start(PASSWORD, "ingest", "rides.yaml", "--once")) {
            awaitSuccess(ingest);
            assertThat(ingest.stderr()).anyMatch(line -> line.contains(" events=" + COUNT + " "));
        }
        assertThat(Files.readString(folder.resolve(".thalweg/log/thalweg.log"))).doesNotContain(PASSWORD);
    }

    /** The password comes from a file. It reaches the broker, and is visible nowhere else. */
    @Test
    void ingest_whileItRuns_showsThePasswordNowhere() throws Exception {
        configure("batches");
        Path config = folder.resolve("thalweg.yaml");
        Path password = Files.writeString(folder.resolve("password"), PASSWORD + "\n");
        Files.writeString(
                config, Files.readString(config).replace("${KAFKA_PASSWORD}", "${file:%s}".formatted(password)));
        kafka.createTopic("rides-shown", 2, Map.of());
        Path spec = folder.resolve("rides.yaml");
        Files.writeString(spec, Files.readString(spec).replace("rides-thrift", "rides-shown"));
        try (Subprocess generate = start("", "generate", "rides.yaml", "--count", COUNT, "--to", "topic")) {
            awaitSuccess(generate);
        }
        int port = FreePorts.next();
        try (Subprocess ingest = start("", "ingest", "rides.yaml", "--port", port)) {
            ingest.awaitLine(".*" + port + ".*", PATIENCE);
            String metrics = HttpOne.get(port, "/metrics");
            while (!SOME_WRITTEN.matcher(metrics).find()) {
                assertThat(ingest.isAlive())
                        .as(() -> ingest.stderr().toString())
                        .isTrue();
                TimeUnit.MILLISECONDS.sleep(50);
                metrics = HttpOne.get(port, "/metrics");
            }
            assertThat(metrics).doesNotContain(PASSWORD);
            assertThat(arguments(ingest)).contains("rides.yaml").doesNotContain(PASSWORD);
            assertThat(ingest.stdout()).noneMatch(line -> line.contains(PASSWORD));
            assertThat(ingest.stderr()).noneMatch(line -> line.contains(PASSWORD));
        }
        try (Stream<Path> written = Files.walk(folder.resolve(".thalweg"))) {
            for (Path file : written.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(PASSWORD);
            }
        }
    }

    /** Returns what any user of the machine can see of a process and its children. */
    private static String arguments(Subprocess process) throws IOException {
        ProcessHandle parent = ProcessHandle.of(process.pid()).orElseThrow();
        StringBuilder all = new StringBuilder();
        for (ProcessHandle each :
                Stream.concat(Stream.of(parent), parent.descendants()).toList()) {
            try {
                all.append(Files.readString(Path.of("/proc", String.valueOf(each.pid()), "cmdline")));
            } catch (NoSuchFileException e) {
                // The process has ended.
            }
        }
        return all.toString();
    }

    @Test
    void ingest_wrongPassword_isReportedWithoutIt() throws Exception {
        configure("batches");
        kafka.createTopic("rides-thrift", 1, Map.of());
        try (Subprocess ingest = start("wrong-password", "ingest", "rides.yaml", "--once")) {
            assertThat(ingest.awaitExit(PATIENCE)).isEqualTo(1);
            String said = String.join("\n", ingest.stderr());
            assertThat(said)
                    .containsIgnoringCase("authentication failed")
                    .contains(kafka.securedBootstrap())
                    .doesNotContain("wrong-password");
        }
    }
}
