package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** {@code thalweg tune SPEC --try}: its variants do the same work, and the real topics and stores stay unchanged. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class TuneTryIT {
    private static final int RIDES = 200;
    private static final long END = System.currentTimeMillis() / 60_000 * 60_000;

    @RegisterExtension
    static final RidesBroker BROKER = new RidesBroker();

    @TempDir
    Path folder;

    @Tag("soak")
    @Test
    void try_ingest_comparesTheSameRowsAndTouchesNothing() throws Exception {
        RidesTopic rides = slowRides();
        rides.send(0, RIDES);

        CommandRun run = tune("rides.yaml", "--rounds", "2", "--vary", "parallelism=2");

        assertThat(run.exit()).as(run.out() + run.err()).isZero();
        List<String> lines = lines(run);
        assertThat(lines).anyMatch(line -> line.startsWith("baseline ") && line.endsWith(" " + RIDES));
        assertThat(lines).anyMatch(line -> line.startsWith("parallelism 2 ") && line.endsWith(" " + RIDES));
        // On a machine that other tests keep busy, two subtasks need not be faster.
        boolean faster =
                lines.stream().anyMatch(line -> line.matches("parallelism 2 .* (\\+\\d+ %(?! CPU)|-\\d+ % CPU) .*"));
        String last = lines.get(lines.size() - 1);
        assertThat(last)
                .isEqualTo(
                        faster
                                ? " thalweg ingest rides --parallelism 2"
                                : "keep what you have: no variant is better than the baseline by more than its runs differ");
        assertThat(run.err())
                .contains("sample of 200 records in 2 partitions", "round 2 of 2", "rows go to a folder of the trial");
        assertThat(folder.resolve("table")).doesNotExist();
        assertThat(folder.resolve("checkpoints")).doesNotExist();
        assertUntouched(rides.name(), RIDES);
        assertNothingIsLeft();
    }

    @Tag("test")
    @Test
    void try_topicWithoutRecords_isNamed() throws Exception {
        RidesTopic rides = slowRides();

        CommandRun run = tune("rides.yaml");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.failures())
                .containsExactly("thalweg: topic %s has no records to try with".formatted(rides.name()));
        assertThat(run.out()).isEmpty();
        assertNothingIsLeft();
    }

    @Tag("soak")
    @Test
    void try_viewOverAFile_makesTheSameRowsAndOpensNoStore() throws Exception {
        SmallViews.cells(folder);
        Files.writeString(folder.resolve("thalweg.yaml"), "store: {path: %s}\n".formatted(folder.resolve("store")));
        Files.write(
                folder.resolve("events.jsonl"),
                IntStream.range(0, 3_000)
                        .mapToObj(i ->
                                "{\"event_type\": \"request\", \"ts\": %d, \"rider_id\": \"%s\", \"hexagon\": \"892a100d2c3ffff\", \"product_id\": \"%s\"}"
                                        .formatted(END - 600_000 + 200L * i, uuid(i), uuid(0)))
                        .toList());

        CommandRun run = tune(
                "cells.yaml", "--input", folder.resolve("events.jsonl"), "--rounds", "2", "--vary", "checkpoints=1s");

        assertThat(run.exit()).as(run.out() + run.err()).isZero();
        List<String> rows = lines(run).stream()
                .filter(line -> line.startsWith("baseline ") || line.startsWith("checkpoints 1s "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .toList();
        assertThat(rows).hasSize(2).doesNotContain("0");
        // A stall of the machine makes events late, which the table reports.
        assertThat(rows.get(0).equals(rows.get(1)) || run.out().contains("other rows"))
                .as(run.out())
                .isTrue();
        assertThat(folder.resolve("store")).doesNotExist();
        assertNothingIsLeft();
    }

    private static String uuid(int number) {
        return "00000000-0000-0000-0000-%012d".formatted(number);
    }

    @Tag("soak")
    @Test
    void try_publication_writesToTheScratchStoreAndEmptiesIt() throws Exception {
        int port = FreePorts.next();
        RedisServer redis =
                RedisServer.newRedisServer().port(port).setting("save \"\"").build();
        redis.start();
        try {
            String topic = BROKER.topic(folder, 1).name();
            String yaml = BulkRows.yaml(topic);
            Files.writeString(folder.resolve("demand.yaml"), yaml);
            Files.writeString(
                    folder.resolve("thalweg.yaml"),
                    "kafka: {default: {bootstrap: \"%s\"}}\nstore: {type: redis, uri: \"redis://127.0.0.1:%d\"}\n"
                            .formatted(BROKER.bootstrap(), FreePorts.next()));
            FeatureView view = Definitions.parse(yaml, "demand.yaml").views().get(0);
            HexRowCodec packed = new HexRowCodec(view);
            for (int block = 0; block < 50; block++) {
                var unused = BROKER.producer()
                        .send(new ProducerRecord<>(
                                topic, 0, END, null, packed.encodeBlock(BulkRows.block(block, 0, END), 5)));
            }
            BROKER.producer().flush();
            String store = "redis://127.0.0.1:" + port;

            CommandRun run = tune(
                    "demand.yaml", "--publish", "--scratch-store", store, "--rounds", "2", "--vary", "in_flight=1");

            assertThat(run.exit()).as(run.out() + run.err()).isZero();
            assertThat(lines(run))
                    .anyMatch(line -> line.startsWith("baseline ") && line.endsWith(" 17,150"))
                    .anyMatch(line -> line.startsWith("in_flight 1 ") && line.endsWith(" 17,150"));
            RedisWire wire = new RedisWire(port);
            assertThat(wire.keys()).isZero();
            assertUntouched(topic, 50);
            assertNothingIsLeft();

            wire.say("SET mine 1");
            CommandRun refused = tune("demand.yaml", "--publish", "--scratch-store", store);
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.failures())
                    .containsExactly(
                            "thalweg: --scratch-store 127.0.0.1:%d is not empty: it has 1 keys".formatted(port));
            assertThat(wire.keys()).isEqualTo(1);
        } finally {
            redis.stop();
        }
    }

    @Tag("faults")
    @Test
    void try_interrupted_endsItsProcessesAndRemovesItsFolder() throws Exception {
        RidesTopic rides = slowRides();
        rides.send(0, 100_000);
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        List<String> command = Launched.program("-Xmx1g");
        command.add(1, "-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of("tune", "rides.yaml", "--try", "--config", "thalweg.yaml"));
        try (Subprocess process = Subprocess.start(folder, Map.of(), command)) {
            process.awaitLine("round 1 of 3: baseline", Await.PATIENCE);
            List<ProcessHandle> children = awaitChildren(process.pid());
            Launched.interrupt(process);
            assertThat(process.awaitExit(Await.PATIENCE)).isEqualTo(130);
            assertThat(children).noneMatch(ProcessHandle::isAlive);
        }
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left.filter(path -> path.getFileName().toString().startsWith("thalweg-try-")))
                    .isEmpty();
        }
    }

    private static List<ProcessHandle> awaitChildren(long pid) {
        ProcessHandle parent = ProcessHandle.of(pid).orElseThrow();
        Await.until("the start of a run", () -> parent.children().findAny().isPresent());
        return parent.children().toList();
    }

    private RidesTopic slowRides() throws IOException {
        RidesTopic rides = BROKER.topic(folder, 2);
        rides.configure("");
        rides.define("", "parquet: table");
        Path classes = Files.createDirectories(folder.resolve("classes/io/thalweg/cli/run"));
        try (InputStream code = Ill.class.getResourceAsStream("Ill.class")) {
            Files.copy(Objects.requireNonNull(code), classes.resolve("Ill.class"));
        }
        Path mode = Files.writeString(folder.resolve("illness"), "waits");
        Path definition = folder.resolve("rides.yaml");
        Files.writeString(
                definition,
                Files.readString(definition)
                        + "transform: {class: %s, jars: [classes], config: {file: \"%s\"}}%n"
                                .formatted(Ill.class.getName(), mode));
        return rides;
    }

    private CommandRun tune(String spec, Object... more) {
        return CommandRun.of(Stream.concat(
                        Stream.of("tune", folder.resolve(spec), "--try", "--config", folder.resolve("thalweg.yaml")),
                        Stream.of(more))
                .toArray());
    }

    private static List<String> lines(CommandRun run) {
        return run.out().lines().map(line -> line.replaceAll(" +", " ")).toList();
    }

    private static void assertUntouched(String topic, long records) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", BROKER.bootstrap()))) {
            assertThat(admin.listGroups().all().get()).isEmpty();
            Map<TopicPartition, OffsetSpec> ends = IntStream.range(
                            0,
                            Objects.requireNonNull(admin.describeTopics(List.of(topic))
                                            .allTopicNames()
                                            .get()
                                            .get(topic))
                                    .partitions()
                                    .size())
                    .boxed()
                    .collect(Collectors.toMap(p -> new TopicPartition(topic, p), p -> OffsetSpec.latest()));
            assertThat(admin.listOffsets(ends).all().get().values().stream()
                            .mapToLong(end -> end.offset())
                            .sum())
                    .isEqualTo(records);
            assertThat(admin.listTopics().names().get()).noneMatch(name -> name.contains("dead"));
        }
    }

    private static void assertNothingIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(files.filter(path -> path.getFileName().toString().startsWith("thalweg-try-")))
                    .isEmpty();
        }
    }
}
