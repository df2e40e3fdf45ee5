package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.runner.BoundedIngest;
import io.thalweg.runner.Console;
import io.thalweg.runner.IngestInput;
import io.thalweg.runner.JobPlan;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of {@code thalweg ingest} over files: the same command never writes a row twice, whenever its predecessor was killed. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestEndIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int EVENTS = 500;

    @TempDir
    Path folder;

    private IngestFolder ingest;

    private enum Target {
        PARQUET("parquet: table") {
            @Override
            List<Path> files(Path folder) throws IOException {
                return ParquetFolder.files(folder.resolve("table"));
            }
        },
        ICEBERG("iceberg: lake.rides") {
            @Override
            List<Path> files(Path folder) throws IOException {
                return IcebergFolder.files(folder.resolve("warehouse/lake/rides"));
            }
        };

        private final String sink;

        Target(String sink) {
            this.sink = sink;
        }

        abstract List<Path> files(Path folder) throws IOException;

        List<Long> ids(Path folder) throws IOException {
            List<Long> ids = ParquetFolder.longs(files(folder), "id");
            ids.sort(null);
            return ids;
        }
    }

    @BeforeEach
    void writeFiles() throws IOException {
        ingest = IngestFolder.in(folder);
        Encoder encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        for (int file = 0; file < 2; file++) {
            List<byte[]> messages = LongStream.range(file * (long) EVENTS, (file + 1L) * EVENTS)
                    .mapToObj(encoder::encode)
                    .toList();
            Files.write(ingest.file(file + ".in"), Rides.framed(messages));
        }
        Files.write(
                ingest.file("0.in"),
                Rides.framed(List.of(new byte[] {1, 2, 3})),
                java.nio.file.StandardOpenOption.APPEND);
    }

    private void define(Target target) throws IOException {
        ingest.define(Format.THRIFT_COMPACT.source, "");
        Path definition = ingest.file("rides.yaml");
        Files.writeString(definition, Files.readString(definition).replace("parquet: table", target.sink));
        Path config = ingest.file("thalweg.yaml");
        Files.writeString(
                config,
                Files.readString(config) + "catalogs: {default: {folder: %s}}\n".formatted(ingest.file("warehouse")));
    }

    private void assertWritten(Map<String, Long> counts, Target target, int times) throws IOException {
        assertThat(counts)
                .containsEntry("events", 2L * EVENTS + 1)
                .containsEntry("bad", 1L)
                .containsEntry("written", 2L * EVENTS);
        assertThat(target.ids(folder))
                .isEqualTo(LongStream.range(0, 2L * EVENTS)
                        .boxed()
                        .flatMap(id -> Stream.generate(() -> id).limit(times))
                        .toList());
    }

    /** The process is killed with the last checkpoint: while it commits, or right after it has. */
    @Tag("faults")
    @ParameterizedTest
    @EnumSource(Target.class)
    void ingest_killedWithItsLastCheckpoint_nextStartWritesNothingTwice(Target target) throws Exception {
        define(target);
        try (Subprocess process = ingest.start("--parallelism", 2)) {
            awaitEnd(process);
            process.signal(Subprocess.Signal.KILL);
            process.awaitExit(PATIENCE);
        }

        assertWritten(ingest.succeed(), target, 1);
        assertThat(ingest.letters()).isNotEmpty();
    }

    private void awaitEnd(Subprocess process) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!hasEnd()) {
            assertThat(process.isAlive() && System.nanoTime() < deadline)
                    .as(process.stderr().toString())
                    .isTrue();
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private boolean hasEnd() throws IOException {
        Path runs = ingest.file("checkpoints/test/ingest/rides");
        if (!Files.isDirectory(runs)) {
            return false;
        }
        try (Stream<Path> files = Files.find(runs, 3, (path, attributes) -> path.endsWith("end.properties"))) {
            return files.findAny().isPresent();
        } catch (java.io.UncheckedIOException e) {
            return false; // a folder was deleted meanwhile
        }
    }

    /** Everything is committed and Flink has removed the checkpoints; then the process is killed before it notices. */
    @Tag("soak")
    @ParameterizedTest
    @EnumSource(Target.class)
    void ingest_killedBetweenItsLastCommitAndItsEnd_nextStartOnlyReports(Target target) throws Exception {
        define(target);
        Ingest definition =
                Definitions.load(List.of(ingest.file("rides.yaml"))).ingests().get(0);
        IngestPlan plan = IngestPlan.of(definition);
        DeploymentConfig config = DeploymentConfig.load(ingest.file("thalweg.yaml"), Map.of());
        JobPlan job = JobPlan.ingest(plan, IngestInput.of(definition, List.of()), config, ingest.file("dead.jsonl"));
        new BoundedIngest(plan, config, job, 0, "dead.jsonl").runJob(1, "latest", console(), true);
        awaitNoCheckpoint();

        CommandRun run = ingest.run();

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.err()).contains("rides: all of this is written already");
        assertWritten(IngestFolder.counts(run.err().lines().toList()), target, 1);
        assertThat(ingest.letters()).hasSize(1);
    }

    private void awaitNoCheckpoint() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!ingest.checkpoints().isEmpty()) {
            assertThat(System.nanoTime()).as("Flink removes them").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static Console console() {
        return new Console(
                new PrintWriter(new StringWriter()),
                new PrintWriter(new StringWriter()),
                InputStream.nullInputStream(),
                false,
                Map.of(),
                System::nanoTime);
    }

    @Tag("faults")
    @ParameterizedTest
    @EnumSource(Target.class)
    void ingest_twice_writesAgainOnlyIfAskedTo(Target target) throws IOException {
        define(target);
        Map<String, Long> first = ingest.succeed();

        assertThat(ingest.succeed()).isEqualTo(first);
        assertWritten(first, target, 1);
        assertThat(ingest.run("--max-bad", "0%").exit()).as("is judged again").isEqualTo(1);

        assertWritten(ingest.succeed("--resume", "none"), target, 2);
    }
}
