package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg tune} on a job that has one illness after another. The job is a process, as users start it. */
@Tag("soak")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class TuneIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int EVENTS = 20_000;
    private static final Pattern WRITTEN = Pattern.compile("outcome=\"written\"} ([1-9]\\d*)");
    private static final Pattern BUSY = Pattern.compile("(?m)^thalweg_job_busy_ratio (1(\\.0)?|0\\.[1-9]\\d*)$");
    private static final Pattern ALL_WRITTEN = Pattern.compile("outcome=\"written\"} " + EVENTS);

    @RegisterExtension
    static final RidesBroker BROKER = new RidesBroker();

    @TempDir
    Path folder;

    private RidesTopic rides;

    @Test
    void tune_oneIllnessAfterTheOther_isNamedUnderItsDomain() throws Exception {
        rides = BROKER.topic(folder, 1);
        int port = FreePorts.next();
        try (Subprocess process = ingest(port, 1)) {
            rides.send(0, EVENTS);
            await(WRITTEN, process, port);
            // If other tests leave little of the machine to the job, that is what limits it.
            assertFound(tune(port), "remote calls (network)", "machine (cpu)");
            await(BUSY, process, port);

            become("none");
            await(ALL_WRITTEN, process, port);
            CommandRun healthy = tune(port);
            assertThat(healthy.exit()).as(healthy.out() + healthy.err()).isZero();
            assertThat(healthy.out())
                    .contains("rides: healthy, observed for ", "read " + rides.name() + " → … → write rides")
                    .doesNotContain("evidence");

            become("allocates");
            rides.send(EVENTS, 4 * EVENTS); // more than the recording sees
            CommandRun garbage = tune(port);
            assertFound(garbage, "garbage collection (memory)", "machine (cpu)");
            if (garbage.out().contains("garbage collection")) {
                assertThat(garbage.out())
                        .containsPattern(
                                "code      \\d+ % of the allocated bytes in io\\.thalweg\\.cli\\.run\\.Ill\\.allocate");
            }
        }
    }

    @Test
    void tune_oneHotPartition_isNamedUntilAllHaveEvents() throws Exception {
        rides = BROKER.topic(folder, 2);
        int port = FreePorts.next();
        try (Subprocess process = ingest(port, 2)) {
            new RidesTopic(BROKER, rides.name(), 1, rides.ingest()).send(0, EVENTS);
            await(WRITTEN, process, port);
            CommandRun hot = tune(port);
            assertFound(hot, "partitioning (cpu)");
            assertThat(hot.out()).contains("1 of them has read nothing", "a key that spreads the events");

            rides.send(EVENTS, 3 * EVENTS);
            CommandRun even = tune(port);
            assertFound(even, "remote calls (network)");
            assertThat(even.out()).contains("--parallelism 4 instead of 2, with as many partitions");
        }
    }

    private Subprocess ingest(int port, int parallelism) throws IOException {
        rides.configure("");
        rides.define("", "parquet: table");
        Path classes = Files.createDirectories(folder.resolve("classes/io/thalweg/cli/run"));
        try (InputStream code = Ill.class.getResourceAsStream("Ill.class")) {
            Files.copy(Objects.requireNonNull(code), classes.resolve("Ill.class"));
        }
        Path definition = folder.resolve("rides.yaml");
        Files.writeString(
                definition,
                Files.readString(definition)
                        + "transform: {class: %s, jars: [classes], config: {file: \"%s\"}}%n"
                                .formatted(Ill.class.getName(), folder.resolve("illness")));
        become("waits");
        return rides.ingest().start("--port", port, "--parallelism", parallelism);
    }

    private void become(String illness) throws IOException {
        Path next = Files.writeString(folder.resolve("illness.next"), illness);
        Files.move(next, folder.resolve("illness"), StandardCopyOption.ATOMIC_MOVE);
    }

    private CommandRun tune(int port) {
        return CommandRun.of(
                "tune",
                "rides",
                "--for",
                "5s",
                "--admin",
                "http://127.0.0.1:" + port,
                "--config",
                folder.resolve("thalweg.yaml"));
    }

    private static void assertFound(CommandRun run, String... oneOfTheseDomains) {
        assertThat(run.exit()).as(run.out() + run.err()).isEqualTo(1);
        assertThat(run.out()).containsAnyOf(oneOfTheseDomains);
        assertThat(run.out())
                .contains("something holds it up")
                .containsOnlyOnce("evidence")
                .contains("change", "effect");
    }

    private static void await(Pattern series, Subprocess process, int port) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!series.matcher(metrics(port)).find()) {
            assertThat(process.isAlive() && System.nanoTime() < deadline)
                    .as(() -> String.join("\n", process.stderr()))
                    .isTrue();
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private static String metrics(int port) throws InterruptedException {
        try {
            return HttpOne.get(port, "/metrics");
        } catch (IOException e) {
            return "";
        }
    }
}
