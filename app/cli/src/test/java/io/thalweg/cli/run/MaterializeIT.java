package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.DriverTable;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.runner.Checkpoints;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import io.thalweg.store.redis.RedisOnlineStore;
import io.thalweg.tables.FlatTable;
import io.thalweg.tables.RowTable;
import io.thalweg.tables.TableColumns;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** {@code thalweg materialize}: the rows of a table can be read from the store, whatever happens on the way. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class MaterializeIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final long DAY_END = 1_795_132_800_000L; // 2026-11-20T00:00:00Z
    private static final int DRIVERS = 20_000;

    private static RedisWire wire;
    private static RedisServer redis;

    @TempDir
    Path folder;

    @BeforeAll
    static void startRedis() throws IOException {
        wire = new RedisWire(FreePorts.next());
        redis = RedisServer.newRedisServer()
                .port(wire.port())
                .setting("save \"\"")
                .build();
        redis.start();
    }

    @AfterAll
    static void stopRedis() throws IOException {
        redis.stop();
    }

    @BeforeEach
    void empty() throws IOException {
        wire.say("FLUSHALL");
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                store: {type: redis, uri: "redis://127.0.0.1:%d", project: market}
                checkpoints: {dir: %s, every: 200ms}
                catalogs: {default: {folder: %s}}
                views: [%s]
                """.formatted(
                        wire.port(),
                        folder.resolve("checkpoints"),
                        folder.resolve("warehouse"),
                        folder.resolve("driver_stats.yaml")));
        Files.writeString(folder.resolve("driver_stats.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                source: {parquet: lake, partitions: [dt, half]}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}, {name: rating, field: avg_rating}, {name: vip, type: bool}]
                event_time: {field: ts}
                online: {ttl: 10000d}
                offline: true
                """);
        for (int half = 0; half < 2; half++) {
            DriverTable.write(
                    folder.resolve("lake/dt=2026-11-19/half=%d/part-0.snappy.parquet".formatted(half)),
                    (long) half * DRIVERS / 2,
                    (half + 1L) * DRIVERS / 2,
                    DAY_END,
                    3_000);
        }
    }

    private FeatureView view() throws IOException {
        return Definitions.load(List.of(folder.resolve("driver_stats.yaml")))
                .materializations()
                .get(0)
                .view();
    }

    private CommandRun materialize(Object... options) {
        Object[] command = {"materialize", "driver_stats", "--config", folder.resolve("thalweg.yaml")};
        return CommandRun.of(
                Stream.concat(Arrays.stream(command), Arrays.stream(options)).toArray());
    }

    private static Map<String, String> counts(List<String> lines) {
        String last = lines.stream()
                .filter(line -> line.startsWith("driver_stats: rows="))
                .reduce((a, b) -> b)
                .orElseThrow(() -> new AssertionError("no line of counts in " + lines));
        Map<String, String> counts = new HashMap<>();
        for (String count : last.substring("driver_stats: ".length()).split(" ", -1)) {
            counts.put(count.split("=", 2)[0], count.split("=", 2)[1]);
        }
        return counts;
    }

    /** Requires the stored row of each driver and, last, the view's watermark. */
    private void assertStored(int from, int to, long endMs) throws IOException {
        FeatureView view = view();
        List<StoreKey> keys = LongStream.range(from, to)
                .mapToObj(driver -> new StoreKey(0, List.of(driver)))
                .toList();
        try (OnlineStore store =
                RedisOnlineStore.open(URI.create("redis://127.0.0.1:" + wire.port()), "market", Clock.systemUTC())) {
            List<@Nullable StoredRow> rows = store.read(view, keys).rows();
            for (int i = 0; i < rows.size(); i++) {
                long driver = (long) from + i;
                StoredRow row = rows.get(i);
                assertThat(row).as("driver " + driver).isNotNull();
                assertThat(row.windowEndMs()).isEqualTo(DriverTable.timeMs(driver, endMs));
                assertThat(row.values())
                        .isEqualTo(Arrays.asList(
                                DriverTable.trips(driver),
                                DriverTable.rating(driver),
                                DriverTable.isVip(driver) ? 1L : 0L));
            }
            assertThat(store.watermark("driver_stats")).isPresent();
        }
    }

    @Tag("test")
    @Test
    void materialize_nestedPartitions_areReadByAnotherProcess() throws Exception {
        CommandRun run = materialize("--parallelism", 2);

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(counts(run.err().lines().toList()))
                .containsEntry("rows", "" + DRIVERS)
                .containsEntry("written", "" + DRIVERS)
                .containsEntry("expired", "0")
                .containsEntry("bad", "0");
        assertStored(0, DRIVERS, DAY_END);
        assertThat(wire.say("DBSIZE")).contains("" + (DRIVERS + 1));
        CommandRun again = materialize("--quiet");
        assertThat(counts(again.err().lines().toList()))
                .as("what is done is not gone on with")
                .containsEntry("rows", "" + DRIVERS);
        String port = String.valueOf(FreePorts.next());
        try (Subprocess serve = Launched.start(folder, "serve", "--port", port)) {
            serve.awaitLine("serving http://127.0.0.1:" + port, PATIENCE);
            CommandRun get = CommandRun.of(
                    "get", "driver_stats", "-e", "driver=12", "--json", "--server", "http://127.0.0.1:" + port);

            assertThat(get.exit()).as(get.err()).isZero();
            JsonNode answer = new ObjectMapper().readTree(get.out());
            assertThat(answer.get("features").toString()).isEqualTo("[\"trips\",\"rating\",\"vip\"]");
            JsonNode row = answer.get("rows").get(0);
            assertThat(row.get("status").asText()).isEqualTo("PRESENT");
            assertThat(row.get("values").toString()).isEqualTo("[372,1.12,0]");
        }
    }

    @Tag("faults")
    @Test
    void materialize_partitionOfANewDay_replacesItsRows() throws IOException {
        assertThat(materialize("--quiet").exit()).isZero();
        DriverTable.write(
                folder.resolve("lake/dt=2026-11-20/half=0/part-0.parquet"), 100, 200, DAY_END + 86_400_000, 1_000);

        CommandRun run = materialize("--partition", "dt=2026-11-20", "--quiet");

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(counts(run.err().lines().toList())).containsEntry("rows", "100");
        assertStored(0, 100, DAY_END);
        assertStored(100, 200, DAY_END + 86_400_000);
        assertStored(200, 300, DAY_END);
        CommandRun unknown = materialize("--partition", "day=2026-11-20");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err()).contains("source.partitions: has no day; known: dt, half");
    }

    @Tag("test")
    @Test
    void materialize_partitionsOfNoRowsAndABrokenTable_loadTheRest() throws IOException {
        Files.createDirectories(folder.resolve("lake/dt=2026-11-20"));
        Files.createFile(folder.resolve("lake/dt=2026-11-20/_SUCCESS"));
        Path nothing = Files.createFile(folder.resolve("lake/dt=2026-11-19/half=0/part-1.parquet"));

        CommandRun empty = materialize("--partition", "dt=2026-11-20", "--quiet");

        assertThat(empty.exit()).as(empty.err()).isZero();
        assertThat(empty.err()).contains("driver_stats: no rows to load\n");
        assertThat(counts(empty.err().lines().toList())).containsEntry("rows", "0");
        Path broken = Files.writeString(
                folder.resolve("broken.yaml"),
                Files.readString(folder.resolve("driver_stats.yaml"))
                        .replace("name: driver_stats", "name: broken")
                        .replace("parquet: lake", "parquet: nowhere"));
        CommandRun both = CommandRun.of(
                "materialize",
                broken,
                folder.resolve("driver_stats.yaml"),
                "--config",
                folder.resolve("thalweg.yaml"),
                "--quiet");
        assertThat(both.exit()).as(both.err()).isEqualTo(1);
        assertThat(both.err())
                .contains("driver_stats: skipped 1 file without rows: " + nothing)
                .contains("thalweg: 1 of 2 loads failed: broken");
        assertStored(0, DRIVERS, DAY_END);
    }

    @Tag("faults")
    @Test
    void materialize_killedAndStartedAgain_goesOnAndEndsWithTheSame() throws Exception {
        Path checkpoints = folder.resolve("checkpoints");
        try (Subprocess first = Launched.start(
                folder, "materialize", "driver_stats.yaml", "--rate", DRIVERS / 4, "--parallelism", 2, "--port", 0)) {
            awaitCheckpoint(checkpoints, first);
            assertShown(first);
            kill(first);
        }
        long before = rows();
        assertThat(before).isBetween(1L, (long) DRIVERS - 1);

        CommandRun run = materialize();

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.err()).contains("resuming from ");
        assertThat(Long.parseLong(counts(run.err().lines().toList()).get("rows")))
                .as("what was done is not done again")
                .isBetween(1L, (long) DRIVERS - 1);
        assertStored(0, DRIVERS, DAY_END);
        assertThat(rows()).isEqualTo(DRIVERS + 1);
        List<String> logged = exported();
        assertThat(logged)
                .as("each row is in the log once")
                .hasSize(1 + DRIVERS)
                .doesNotHaveDuplicates();
        Path labels = Files.writeString(
                folder.resolve("labels.csv"),
                LongStream.range(0, DRIVERS)
                        .mapToObj(driver -> "%d,%d\n".formatted(driver, System.currentTimeMillis()))
                        .collect(Collectors.joining("", "driver,at\n", "")));
        assertThat(trainingSet(labels).stream().skip(1))
                .as("rows from before the kill belong to the load, too")
                .allMatch(line -> line.contains(",PRESENT,"));
    }

    /** Returns the lines of the feature log, with a header. */
    private List<String> exported() throws IOException {
        Path out = folder.resolve("log.csv");
        CommandRun export = CommandRun.of(
                "log", "export", "driver_stats", "--config", folder.resolve("thalweg.yaml"), "--out", out, "--quiet");
        assertThat(export.exit()).as(export.err()).isZero();
        return Files.readAllLines(out);
    }

    @Tag("test")
    @Test
    void materialize_offline_trainingSetsHaveTheRowsOfTheirTime() throws IOException {
        long nextDay = DAY_END + 86_400_000;
        long beforeMs = System.currentTimeMillis();
        assertThat(materialize("--quiet").exit()).isZero();
        long firstMs = System.currentTimeMillis();
        DriverTable.write(folder.resolve("lake/dt=2026-11-20/half=0/part-0.parquet"), 100, 200, nextDay, 1_000);
        assertThat(materialize("--partition", "dt=2026-11-20", "--quiet").exit())
                .isZero();
        long secondMs = System.currentTimeMillis();
        Path labels = Files.writeString(folder.resolve("labels.csv"), """
                driver,at
                150,%d
                150,%d
                150,%d
                %d,%d
                %d,%d
                """.formatted(
                        beforeMs, firstMs, secondMs, DRIVERS - 1, secondMs, DRIVERS, secondMs));

        List<String> set = trainingSet(labels);

        assertThat(set)
                .containsExactly(
                        "driver,at,driver_stats__trips,driver_stats__rating,driver_stats__vip,driver_stats__status,driver_stats__window_end",
                        "150,%d,,,,NOT_LOGGED,".formatted(beforeMs),
                        "150,%d,%s".formatted(firstMs, answer(150, DAY_END)),
                        "150,%d,%s".formatted(secondMs, answer(150, nextDay)),
                        "%d,%d,%s".formatted(DRIVERS - 1, secondMs, answer(DRIVERS - 1, DAY_END)),
                        "%d,%d,,,,NOT_FOUND,".formatted(DRIVERS, secondMs));
        trainingSetTo("iceberg:training.drivers", labels);
        assertThat(linesOf(folder.resolve("warehouse/training/drivers"))).isEqualTo(set);
        // By their own times, the rows of the second load could be read before it.
        assertThat(trainingSet(labels, "--available", "0s").get(2))
                .isEqualTo("150,%d,%s".formatted(firstMs, answer(150, nextDay)));
        assertThat(exported()).hasSize(1 + DRIVERS + 100);
    }

    @Tag("faults")
    @Test
    void trainingSet_interrupted_resumesWithTheSameCommand() throws Exception {
        assertThat(materialize("--quiet").exit()).isZero();
        long nowMs = System.currentTimeMillis();
        StringBuilder text = new StringBuilder("driver,at\n");
        for (int i = 0; i < 30 * DRIVERS; i++) {
            text.append(i % DRIVERS).append(',').append(nowMs).append('\n');
        }
        Path labels = Files.writeString(folder.resolve("labels.csv"), text);
        List<String> whole = trainingSet(labels);
        Path out = folder.resolve("again.csv");
        Object[] command = Stream.concat(trainingSetCommand(out, labels), Stream.of("--memory", "1KiB"))
                .toArray();
        try (Subprocess process = Launched.start(folder, command)) {
            Path partial = out.resolveSibling("again.csv.partial");
            Await.until(
                    "a part of the training set",
                    () -> !process.isAlive() || (Files.exists(partial) && Files.size(partial) > 100_000));
            process.interrupt();
            int exit = process.awaitExit(PATIENCE);
            assertThat(exit).as("done before the signal, or interrupted").isIn(0, 130);
            assertThat(Files.exists(out)).isEqualTo(exit == 0);
            assertThat(Files.exists(folder.resolve("again.interrupted.csv"))).isEqualTo(exit == 130);
        }

        CommandRun run = CommandRun.of(command);

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(Files.readAllLines(out)).isEqualTo(whole);
        assertThat(folder.resolve("again.interrupted.csv")).doesNotExist();
        assertThat(folder.resolve("again.interrupted.csv.json")).doesNotExist();
        assertThat(run.err()).contains("labels=" + 30 * DRIVERS);
    }

    private List<String> trainingSet(Path labels, Object... options) throws IOException {
        Path out = folder.resolve("train.csv");
        trainingSetTo(out, labels, options);
        return Files.readAllLines(out);
    }

    private void trainingSetTo(Object out, Path labels, Object... options) {
        CommandRun run = CommandRun.of(Stream.concat(trainingSetCommand(out, labels), Arrays.stream(options))
                .toArray());
        assertThat(run.exit()).as(run.err()).isZero();
    }

    private Stream<Object> trainingSetCommand(Object out, Path labels) {
        return Stream.of(
                "training-set",
                "--config",
                folder.resolve("thalweg.yaml"),
                "--spine",
                labels,
                "--time",
                "at",
                "--unit",
                "ms",
                "--views",
                "driver_stats",
                "--with",
                "window_end",
                "--out",
                out);
    }

    /** Returns the rows of an Iceberg table as lines of CSV. */
    private static List<String> linesOf(Path table) throws IOException {
        ByteArrayOutputStream csv = new ByteArrayOutputStream();
        try (TableColumns columns = TableColumns.open(table)) {
            FlatTable text = FlatTable.open(RowTable.Form.CSV, columns.schema(), csv);
            for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                text.add(batch);
            }
            text.finish();
        }
        return csv.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** Returns the columns of a training set for a driver, after the label's own. */
    private static String answer(long driver, long dayEndMs) {
        return "%d,%s,%d,PRESENT,%s"
                .formatted(
                        DriverTable.trips(driver),
                        DriverTable.rating(driver),
                        DriverTable.isVip(driver) ? 1 : 0,
                        Instant.ofEpochMilli(DriverTable.timeMs(driver, dayEndMs)));
    }

    /** The console has the job, and how much of the table is loaded. */
    private static void assertShown(Subprocess process) throws IOException, InterruptedException {
        JsonNode answer = JobsPage.of(process, PATIENCE);
        assertThat(answer.path("jobs").path(0).path("stages")).isNotEmpty();
        Map<String, Double> series = new HashMap<>();
        for (JsonNode each : answer.path("views").path(0).path("series")) {
            series.put(each.path("name").asText(), each.path("value").asDouble());
        }
        assertThat(series.get("thalweg_loaded_rows_total")).isPositive();
        assertThat(series.get("thalweg_load_left_bytes")).isBetween(1.0, series.get("thalweg_load_table_bytes"));
    }

    /** kill -9. */
    private static void kill(Subprocess process) {
        process.close();
        process.awaitExit(PATIENCE);
    }

    private static long rows() throws IOException {
        return Long.parseLong(wire.say("DBSIZE").replaceAll("\\D", ""));
    }

    /** Waits for the third checkpoint, so that there are rows before it, which are not read again. */
    private static void awaitCheckpoint(Path folder, Subprocess process) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
            if (rows() > DRIVERS / 8
                    && Checkpoints.in(folder).stream()
                            .anyMatch(found -> found.getFileName().toString().matches("chk-([3-9]|\\d\\d+)"))) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        throw new AssertionError("no checkpoint: " + process.stderr());
    }

    @Tag("test")
    @Test
    void materialize_badRows_goToTheDeadLetters_andADryRunTellsOfThem() throws IOException {
        Files.writeString(folder.resolve("stats.csv"), """
                id,kv
                1,"trips=3,rating=4.5"
                2,"trips=many"
                ,"trips=1"
                4,
                """);
        Files.writeString(folder.resolve("driver_stats.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                source: {csv: stats.csv}
                entities: [{name: driver, field: id, type: int64}]
                features: {text: kv, entry: ",", pair: "=", names: [{name: trips, type: int64}, rating]}
                """);
        Path letters = folder.resolve("letters.jsonl");

        CommandRun dry = materialize("--dry-run");

        assertThat(dry.exit()).as(dry.err()).isZero();
        assertThat(dry.out().lines().toList()).hasSize(2);
        assertThat(dry.out()).contains("\"driver\":1,").contains("\"features\":{\"trips\":3,\"rating\":4.5}}");
        assertThat(dry.err())
                .contains("missing_field 1, first in ")
                .contains("wrong_type 1, first in ")
                .contains("driver_stats: files=1 rows=4 good=2 bad=2, nothing written");
        assertThat(rows()).isZero();

        CommandRun run = materialize("--dead-letters", letters);

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(counts(run.err().lines().toList()))
                .containsEntry("written", "2")
                .containsEntry("bad", "2");
        assertThat(rows()).isEqualTo(2 + 1);
        assertThat(Files.readAllLines(letters))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line)
                        .contains("\"reason\":\"wrong_type\"", "'trips' must be of type int64", "2,\\\"trips=many"));
    }
}
