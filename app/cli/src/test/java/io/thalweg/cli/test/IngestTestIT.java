package io.thalweg.cli.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.CommandRun;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg test} of ingests: through the real job, into Parquet files. */
@Tag("test")
@Timeout(Await.TIMEOUT_SECONDS)
class IngestTestIT {
    private static final Path EXAMPLES = Checkout.file("examples");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path example() throws IOException {
        Path tests = Files.createDirectory(folder.resolve("tests"));
        for (String file : new String[] {"ride_events.yaml", "rides.thrift", "tests/ride_events.yaml"}) {
            Files.copy(EXAMPLES.resolve(file), folder.resolve(file));
        }
        return tests.resolve("ride_events.yaml");
    }

    private static void change(Path file, String from, String to) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(from);
        Files.writeString(file, text.replace(from, to));
    }

    @Test
    void test_wrongExpectation_showsTheRowTheEventAndTheCounts() throws IOException {
        Path test = example();
        change(test, "under: [restart, rescale, shuffle_partitions]", "under: []");
        change(test, "fare_cents: 1250, surcharges: {airport: 2.5}, pickup", "fare_cents: 1300, pickup");
        change(test, "    - {event_id: e4, rider_id: r2, payment: {cash: true}}\n", "");
        change(test, "filtered: 1, bad: 1", "filtered: 2, bad: 1");
        change(test, "reason: undecodable, count: 1", "reason: undecodable, count: 2");

        CommandRun run = CommandRun.of("test", test);

        assertThat(run.exit()).as(run.err()).isEqualTo(1);
        assertThat(run.out().lines().map(String::strip))
                .containsSubsequence(
                        "row 2 of expect is not there; the nearest one differs:",
                        "fare_cents: expected 1300, was 1250",
                        "made of: event 2",
                        "row is not expected:",
                        "event_id=e4 ts=2026-01-01T12:00:06Z status=REQUESTED rider={id: r2, locale: null, rating: 4.87}"
                                + " pickup={lat: 40.748958, lng: -74.000232, address: null} passengers=1",
                        "made of: event 5",
                        "filtered: expected 2, was 1",
                        "dead letters with stage decode and reason undecodable: expected 2, was 1");
        assertThat(run.out()).contains("in no row: event 3 filtered, event 4 bad: undecodable, ");
    }

    @Test
    void record_changedWhere_writesWhatPasses() throws IOException {
        Path test = example();
        change(test, "under: [restart, rescale, shuffle_partitions]", "under: []");
        change(folder.resolve("ride_events.yaml"), "status: {not: [TEST]}", "status: {not: [COMPLETED]}");

        assertThat(CommandRun.of("test", test, "--record").exit()).isZero();

        assertThat(test)
                .content()
                .contains("events:                                       # encoded in Thrift")
                .contains(
                        "- {event_id: \"e1\", ts: \"12:00:01\", status: \"REQUESTED\", passengers: 1, fare_cents: null,"
                                + " rider_id: \"r1\"}")
                .contains("pickup: {lat: {about: 40.748958, within: 0.01}}", "event_id: \"e3\"")
                .contains("counts: {events: 5, filtered: 1, bad: 1, kept: 3, rows: 3, written: 3, refused: 0}")
                .contains("dead_letters: [{stage: decode, reason: undecodable, count: 1}]");
        CommandRun again = CommandRun.of("test", test);
        assertThat(again.exit()).as(again.out()).isZero();
    }

    /** Every message that YAML can express reaches the job in the format, envelope and schema of the ingest. */
    @Test
    void test_avroInAnEnvelope_andJsonAsItIs_reachTheJob() throws IOException {
        Files.writeString(folder.resolve("orders.avsc"), """
                {"type": "record", "name": "Order", "fields": [
                  {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                  {"name": "day", "type": {"type": "int", "logicalType": "date"}},
                  {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                  {"name": "items", "type": {"type": "array", "items": "string"}},
                  {"name": "weights", "type": {"type": "map", "values": "float"}},
                  {"name": "key", "type": ["null", "bytes"], "default": null}]}
                """);
        Files.writeString(folder.resolve("clicks.json"), """
                {"type": "object", "required": ["id"], "properties": {
                  "id": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}}}
                """);
        Files.writeString(folder.resolve("ingests.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: orders
                source:
                  topic: orders
                  format: avro
                  schema: {file: orders.avsc}
                  envelope: {compression: gzip, messages: length_prefixed}
                sink: {parquet: orders, partition_by: [{hour: at}]}
                ---
                apiVersion: thalweg/v1
                kind: Ingest
                name: clicks
                source: {topic: clicks, format: json, schema: {file: clicks.json}}
                sink: {topic: clicks-avro, unknown_fields: dead_letter}
                """);
        Path tests = Files.writeString(folder.resolve("tests.yaml"), """
                apiVersion: thalweg/v1
                kind: Test
                name: orders_have_all_types
                ingest: {file: ./ingests.yaml, name: orders}
                defaults: {id: 17a2b60c-29dd-5f76-95f3-b65da5cbbdbe, day: "2026-01-01", items: [], weights: {}}
                events:
                  - {at: "12:00:05", price: 12.5, items: [a, b], weights: {x: 0.1}, key: aGk=}
                  - {at: "2026-01-01T13:00:00.001Z", price: "0.01"}
                expect:
                  rows:
                    - at: "13:00:00.001"
                      price: 0.01
                      key: null
                    - id: 17a2b60c-29dd-5f76-95f3-b65da5cbbdbe
                      at: "12:00:05"
                      day: "2026-01-01"
                      price: {about: 12, within: 1}
                      items: [a, b]
                      weights: {x: 0.1}
                      key: aGk=
                under: [restart]
                ---
                apiVersion: thalweg/v1
                kind: Test
                name: clicks_may_be_wrong
                ingest: {file: ./ingests.yaml, name: clicks}
                events:
                  - {id: 1, at: "12:00:05"}
                  - {id: 1, at: "12:00:05"}
                  - {id: one}
                  - {at: "12:00:05"}
                  - {id: 2, more: true}
                  - {raw: ""}
                  - {base64: "/w=="}
                expect:
                  rows: [{id: 1}, {id: 1, at: "12:00:05"}]
                  counts: {events: 7, bad: 5, reasons: {wrong_type: 1, missing_field: 1, unknown_field: 1, empty: 1, undecodable: 1}}
                  dead_letters:
                    - {stage: decode, reason: wrong_type}
                    - {stage: decode, reason: missing_field}
                    - {stage: decode, reason: unknown_field}
                    - {stage: decode, reason: empty}
                    - {stage: decode, reason: undecodable}
                under: [rescale]
                """);

        CommandRun run = CommandRun.of("test", tests);

        assertThat(run.exit()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("2 tests, 2 passed");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("orders.avsc", "clicks.json", "ingests.yaml", "tests.yaml");
        }
    }
}
