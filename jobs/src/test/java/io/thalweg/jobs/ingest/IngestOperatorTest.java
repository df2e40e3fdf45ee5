package io.thalweg.jobs.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.file.RawBlock;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.ingest.IngestAccount.Count;
import io.thalweg.jobs.letters.FileDeadLetters;
import io.thalweg.model.Definitions;
import io.thalweg.model.Ingest;
import io.thalweg.records.columns.ColumnBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Also of {@link MessageLoop}, whose account the operator keeps. */
@SuppressWarnings({"NullAway.Init", "try"}) // harnesses: close() throws Exception
class IngestOperatorTest {
    private static final BlockType<ColumnBatch> ROWS = Chained.type(ColumnBatch.class);
    private static final String KEPT = "{\"id\": 1, \"status\": \"DONE\"}";
    private static final String FILTERED = "{\"id\": 2, \"status\": \"TEST\"}";
    private static final String BAD = "{\"id\": \"three\", \"status\": \"DONE\"}";

    @TempDir
    Path folder;

    private Ingest ingest;
    private String job;

    @BeforeEach
    void define() throws IOException {
        job = UUID.randomUUID().toString();
        Files.writeString(folder.resolve("ride.json"), """
                {"type": "object", "required": ["id", "status"], "properties": {
                  "id": {"type": "integer"}, "status": {"type": "string"}}}
                """);
        Path spec = Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {files: rides.jsonl, format: json, schema: {file: ride.json}, envelope: {messages: lines}}
                where: {status: {not: [TEST]}}
                sink: {parquet: table}
                """);
        ingest = Definitions.load(List.of(spec)).ingests().get(0);
    }

    private OneInputStreamOperatorTestHarness<RawRecords, ColumnBatch> open(@Nullable OperatorSubtaskState state)
            throws Exception {
        OneInputStreamOperatorTestHarness<RawRecords, ColumnBatch> harness =
                new OneInputStreamOperatorTestHarness<>(new IngestOperator<>(
                        job,
                        ingest,
                        new RowForm.Columns(),
                        new FileDeadLetters(letters().toString())));
        harness.setup(ROWS.createSerializer(new SerializerConfigImpl()));
        if (state != null) {
            harness.initializeState(state);
        }
        harness.open();
        return harness;
    }

    private Path letters() {
        return folder.resolve("dead.jsonl");
    }

    /** A block of one record. */
    private static StreamRecord<RawRecords> record(String... lines) {
        byte[] bytes = String.join("\n", lines).getBytes(UTF_8);
        RawBlock block = new RawBlock("rides.jsonl", null);
        block.add(bytes, 0, bytes.length, bytes.length, 0);
        return new StreamRecord<>(block);
    }

    private static int rows(OneInputStreamOperatorTestHarness<RawRecords, ColumnBatch> harness) {
        return harness.extractOutputValues().stream()
                .mapToInt(ColumnBatch::rows)
                .sum();
    }

    private long count(Count count) {
        return IngestCounts.of(job).total().get(count);
    }

    @Test
    void snapshot_rowsThatAreHeld_areEmittedBeforeTheBarrier() throws Exception {
        try (var harness = open(null)) {
            harness.processElement(record(KEPT, FILTERED, KEPT));
            assertThat(rows(harness)).as("a batch waits for more rows").isZero();

            harness.prepareSnapshotPreBarrier(1);

            assertThat(rows(harness)).isEqualTo(2);
        }
    }

    @Test
    void endInput_rowsThatAreHeld_areEmitted() throws Exception {
        try (var harness = open(null)) {
            harness.processElement(record(KEPT));

            harness.endInput();

            assertThat(rows(harness)).isEqualTo(1);
        }
    }

    @Test
    void restore_account_goesOnWhereTheCheckpointWas() throws Exception {
        OperatorSubtaskState state;
        try (var first = open(null)) {
            first.processElement(record(KEPT, FILTERED, BAD));
            first.prepareSnapshotPreBarrier(1);
            state = first.snapshot(1, 1);
            first.processElement(record(KEPT, BAD)); // is read again after the failure
        }
        try (var second = open(state)) {
            second.processElement(record(KEPT, BAD));

            assertThat(count(Count.RECORDS)).isEqualTo(2);
            assertThat(count(Count.EVENTS)).isEqualTo(5);
            assertThat(count(Count.KEPT)).isEqualTo(2);
            assertThat(count(Count.FILTERED)).isEqualTo(1);
            assertThat(count(Count.BAD)).isEqualTo(2);
            assertThat(IngestCounts.of(job).total().badByReason())
                    .containsOnlyKeys("wrong_type")
                    .containsValue(2L);
        }
        assertThat(Files.readAllLines(letters()))
                .as("a letter may be there again, with the same origin")
                .hasSize(3)
                .allSatisfy(letter -> assertThat(letter).contains("\"reason\":\"wrong_type\"", "\"ingest\":\"rides\""));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void process_anyMessages_eachIsOneOfFilteredBadAndKept(long seed) throws Exception {
        Random random = new Random(seed);
        long[] expected = new long[3];
        long records = 1L + random.nextInt(50);
        try (var harness = open(null)) {
            for (int i = 0; i < records; i++) {
                String[] lines = new String[1 + random.nextInt(50)];
                for (int line = 0; line < lines.length; line++) {
                    int kind = random.nextInt(3);
                    lines[line] = List.of(FILTERED, BAD, KEPT).get(kind);
                    expected[kind]++;
                }
                harness.processElement(record(lines));
            }
            harness.endInput();

            assertThat(count(Count.FILTERED)).isEqualTo(expected[0]);
            assertThat(count(Count.BAD)).isEqualTo(expected[1]);
            assertThat(count(Count.KEPT)).isEqualTo(expected[2]).isEqualTo(rows(harness));
            assertThat(count(Count.EVENTS)).isEqualTo(expected[0] + expected[1] + expected[2]);
            assertThat(count(Count.RECORDS)).isEqualTo(records);
        }
    }
}
