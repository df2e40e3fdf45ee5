package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code thalweg ingest} into partitions. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestPartitionsIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private IngestFolder ingest;

    @BeforeEach
    void define() throws IOException {
        ingest = IngestFolder.in(folder);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                checkpoints: {dir: %s}
                catalogs: {default: {folder: %s}}
                """.formatted(
                        folder.resolve("checkpoints"), folder.resolve("warehouse")));
        Files.writeString(folder.resolve("trip.json"), """
                {"type": "object", "required": ["id"], "properties": {
                  "id": {"type": "integer"},
                  "ts": {"type": "integer", "x-unit": "ms"},
                  "city": {"type": "string"}}}
                """);
    }

    private void define(String sink) throws IOException {
        Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {files: "*.jsonl", format: json, schema: {file: trip.json}}
                sink: {%s}
                dead_letters: {file: %s}
                """.formatted(sink, folder.resolve("dead.jsonl")));
    }

    private void write(List<Map<String, Object>> events) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Map<String, Object> event : events) {
            lines.add(JSON.writeValueAsString(event));
        }
        Files.write(folder.resolve("trips.jsonl"), lines);
    }

    private static Map<String, Object> event(long id, Instant time, String city) {
        return Map.of("id", id, "ts", time.toEpochMilli(), "city", city);
    }

    private static final Instant START = Instant.parse("2026-11-24T01:59:00Z");
    private static final List<String> CITIES = List.of("Zürich", "a/b", "São Paulo");

    private static List<Map<String, Object>> events(int count) {
        List<Map<String, Object>> events = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            events.add(event(id, START.plus(id, ChronoUnit.SECONDS), CITIES.get(id % CITIES.size())));
        }
        return events;
    }

    /** Ids by folder, as readers find them. */
    private Map<String, List<Long>> idsByFolder() throws IOException {
        Map<String, List<Long>> ids = new TreeMap<>();
        Path table = folder.resolve("table");
        try (Stream<Path> files = Files.walk(table)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file.getFileName().toString()).doesNotStartWith(".");
                ids.computeIfAbsent(table.relativize(file.resolveSibling("")).toString(), none -> new ArrayList<>())
                        .addAll(ParquetFolder.longs(List.of(file), "id"));
            }
        }
        ids.values().forEach(each -> each.sort(null));
        return ids;
    }

    @Tag("test")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ingest_parquetByHourAndCity_eachRowIsInItsFolder(int parallelism) throws IOException {
        define("parquet: table, partition_by: [{hour: ts}, city]");
        write(events(150));

        Map<String, Long> counts = ingest.succeed("--parallelism", parallelism);

        assertThat(counts)
                .containsEntry("events", 150L)
                .containsEntry("written", 150L)
                .containsEntry("bad", 0L);
        Map<String, List<Long>> expected = new TreeMap<>();
        for (long id = 0; id < 150; id++) {
            String city = List.of("Z%C3%BCrich", "a%2Fb", "S%C3%A3o%20Paulo").get((int) (id % 3));
            String hour = id < 60 ? "hour=2026-11-24-01" : "hour=2026-11-24-02";
            expected.computeIfAbsent(hour + "/city=" + city, none -> new ArrayList<>())
                    .add(id);
        }
        assertThat(idsByFolder()).isEqualTo(expected);
    }

    @Tag("test")
    @Test
    void ingest_missingAndImpossibleValues_areTheDefaultPartitionAndLetters() throws IOException {
        define("parquet: table, partition_by: [{day: ts}, city]");
        List<Map<String, Object>> events = new ArrayList<>(events(3));
        events.add(Map.of("id", 3, "city", "Bern"));
        events.add(Map.of("id", 4, "ts", START.toEpochMilli(), "city", ""));
        events.add(event(5, START, "x".repeat(300)));
        events.add(Map.of("id", 6, "ts", 253_402_300_800_000L, "city", "Bern"));
        write(events);

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts)
                .containsEntry("events", 7L)
                .containsEntry("written", 5L)
                .containsEntry("bad", 2L);
        assertThat(idsByFolder())
                .containsEntry("day=__HIVE_DEFAULT_PARTITION__/city=Bern", List.of(3L))
                .containsEntry("day=2026-11-24/city=__HIVE_DEFAULT_PARTITION__", List.of(4L));
        List<String> reasons = new ArrayList<>();
        for (String letter : Files.readAllLines(folder.resolve("dead.jsonl"))) {
            reasons.add(JSON.readTree(letter).get("reason").asText());
        }
        assertThat(reasons).containsExactlyInAnyOrder("out_of_range", "time_out_of_range");
    }

    /** More than a subtask may have open. */
    @Tag("faults")
    @ParameterizedTest
    @ValueSource(strings = {"parquet: table", "iceberg: lake.trips"})
    void ingest_morePartitionsThanFilesMayBeOpen_eachRowIsWrittenOnce(String sink) throws IOException {
        define(sink + ", partition_by: [city]");
        List<Map<String, Object>> events = new ArrayList<>();
        for (int id = 0; id < 9_000; id++) {
            events.add(event(id, START, "city " + id % 450));
        }
        write(events);

        assertThat(ingest.succeed()).containsEntry("written", 9_000L).containsEntry("bad", 0L);

        List<Long> ids = new ArrayList<>();
        if (sink.startsWith("parquet")) {
            assertThat(idsByFolder()).hasSize(450);
            idsByFolder().values().forEach(ids::addAll);
        } else {
            ids.addAll(ParquetFolder.longs(icebergFiles(), "id"));
        }
        ids.sort(null);
        assertThat(ids).isEqualTo(LongStream.range(0, 9_000).boxed().toList());
    }

    private List<Path> icebergFiles() throws IOException {
        return IcebergFolder.files(folder.resolve("warehouse/lake/trips"));
    }

    @Tag("test")
    @Test
    void ingest_icebergByHourAndBucket_filesHaveOnePartitionEach() throws IOException {
        define("iceberg: lake.trips, partition_by: [{hour: ts}, {bucket: {4: id}}]");
        write(events(150));

        assertThat(ingest.succeed()).containsEntry("written", 150L);

        Set<String> partitions = new HashSet<>();
        for (Path file : icebergFiles()) {
            partitions.add(folder.resolve("warehouse/lake/trips/data")
                    .relativize(file.resolveSibling(""))
                    .toString());
        }
        assertThat(partitions).hasSize(8).allMatch(name -> name.matches("ts_hour=2026-11-24-0[12]/id_bucket=[0-3]"));

        define("iceberg: lake.trips, partition_by: [{day: ts}]");
        CommandRun other = ingest.run();
        assertThat(other.exit()).isEqualTo(1);
        assertThat(other.err())
                .contains("the table is partitioned by [hour(ts), bucket[4](id)], but rows are written by [day(ts)]");
    }

    @Tag("test")
    @Test
    void ingest_partitionsThatCannotBe_areRefused() throws IOException {
        define("parquet: table, partition_by: [{hour: city}]");
        write(events(1));

        CommandRun run = ingest.run();

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        "rides: sink.partition_by: the table cannot be partitioned by {hour: city}: hour takes timestamps");
    }
}
