package io.thalweg.jobs.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.formats.file.RawBlock;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordRanges;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.plan.PackedPlan;
import io.thalweg.jobs.ingest.target.RowForm;
import io.thalweg.model.Definitions;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.row.RowFunction;
import io.thalweg.testing.Jars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.InstantiationUtil;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Also tests {@link MessageLoop}, whose account the operator keeps. */
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
        return open(IngestPlan.of(ingest).packed(), state);
    }

    private OneInputStreamOperatorTestHarness<RawRecords, ColumnBatch> open(
            PackedPlan plan, @Nullable OperatorSubtaskState state) throws Exception {
        OneInputStreamOperatorTestHarness<RawRecords, ColumnBatch> harness =
                new OneInputStreamOperatorTestHarness<>(new IngestOperator<>(
                        job,
                        plan,
                        false,
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
        return IngestJobAccount.of(job).total().get(count);
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

    /** A record of a topic without a value. */
    private static final class Tombstone extends RecordRanges {
        Tombstone() {
            put(new byte[0], 0, 0, 41);
        }

        @Override
        protected void grow(int capacity) {
            // There is one record.
        }

        @Override
        public String source() {
            return "rides";
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public boolean isTombstone(int i) {
            return true;
        }
    }

    @Test
    void tombstones_areCountedByTheirNameOnly() throws Exception {
        Tombstone tombstone = new Tombstone();
        try (var harness = open(null)) {
            harness.processElement(new StreamRecord<>(tombstone));
            harness.prepareSnapshotPreBarrier(1);

            assertThat(rows(harness)).isZero();
            assertThat(count(Count.RECORDS)).isEqualTo(1);
            assertThat(count(Count.TOMBSTONES)).isEqualTo(1);
            assertThat(count(Count.EVENTS)).isZero();
            assertThat(count(Count.BAD)).isZero();
        }
        assertThat(letters()).doesNotExist();
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
            assertThat(IngestJobAccount.of(job).total().badByReason())
                    .containsOnlyKeys("wrong_type")
                    .containsValue(2L);
        }
        assertThat(Files.readAllLines(letters()))
                .as("a letter may be there again, with the same origin")
                .hasSize(3)
                .allSatisfy(letter -> assertThat(letter).contains("\"reason\":\"wrong_type\"", "\"ingest\":\"rides\""));
    }

    /** A task may start where the files of the definition do not exist. */
    @Test
    void open_withoutTheFilesOfTheDefinition_hasWhatTheJobWasStartedWith() throws Exception {
        defineFunction();
        PackedPlan plan = InstantiationUtil.clone(IngestPlan.of(ingest).packed());
        Files.delete(folder.resolve("ride.json"));
        Files.delete(folder.resolve("f.jar"));

        try (var harness = open(plan, null)) {
            harness.processElement(record("{\"id\": 30, \"status\": \"DONE\"}"));
            harness.endInput();

            assertThat(rows(harness)).isEqualTo(3);
        }
    }

    /** Defines a function that drops, rejects, fails or emits 0 to 3 rows by the id; {@code FILTERED} and {@code BAD} never reach it. */
    private void defineFunction() throws IOException {
        Path sources = Files.createDirectories(folder.resolve("src"));
        Files.writeString(sources.resolve("Byid.java"), """
                import io.thalweg.records.row.*;
                import io.thalweg.records.schema.*;
                import java.util.*;
                public class Byid implements RowFunction {
                    public Struct schema(Struct event) {
                        List<Field> fields = new ArrayList<>(event.fields());
                        fields.add(Field.required("copy", FieldType.INT32));
                        return new Struct(fields);
                    }
                    public void apply(Row event, Output out) {
                        long id = event.get("id", Long.class);
                        for (long i = 0; i < id / 10; i++) { out.emit(event.set("copy", (int) i)); }
                        if (id % 10 == 1) { out.reject("id " + id); }
                        if (id % 10 == 2) { throw new IllegalStateException("id " + id); }
                        if (id % 10 == 3) { out.emit(event.set("copy", "text")); }
                        if (id < 10) { out.drop(); }
                    }
                }
                """);
        Path jar = Jars.compile(sources, folder.resolve("f.jar"), Jars.of(RowFunction.class));
        Path spec = folder.resolve("rides.yaml");
        Files.writeString(spec, Files.readString(spec) + "transform: {class: Byid, jars: [" + jar + "]}\n");
        ingest = Definitions.load(List.of(spec)).ingests().get(0);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void process_functionOnAnyMessages_accountsForEach(long seed) throws Exception {
        defineFunction();
        Random random = new Random(seed);
        long[] expected = new long[3];
        List<String> failed = new ArrayList<>();
        try (var harness = open(null)) {
            for (int i = 0; i < 30; i++) {
                String[] lines = new String[1 + random.nextInt(20)];
                for (int line = 0; line < lines.length; line++) {
                    long id = random.nextInt(40);
                    lines[line] = "{\"id\": %d, \"status\": \"DONE\"}".formatted(id);
                    boolean bad = id % 10 >= 1 && id % 10 <= 3;
                    expected[0] += !bad && id < 10 ? 1 : 0;
                    expected[1] += !bad && id >= 10 ? 1 : 0;
                    expected[2] += bad ? 0 : id / 10;
                    if (bad) {
                        failed.add((id % 10 == 1 ? "rejected" : "failed") + " " + lines[line]);
                    }
                }
                harness.processElement(record(lines));
            }
            harness.endInput();

            assertThat(count(Count.FILTERED)).isEqualTo(expected[0]);
            assertThat(count(Count.KEPT)).isEqualTo(expected[1]);
            assertThat(count(Count.ROWS)).isEqualTo(expected[2]).isEqualTo(rows(harness));
            assertThat(count(Count.BAD)).isEqualTo(failed.size());
            assertThat(count(Count.EVENTS)).isEqualTo(expected[0] + expected[1] + failed.size());
            for (ColumnBatch batch : harness.extractOutputValues()) {
                assertThat(batch.leaves().get(2).values())
                        .as("a row that was withdrawn leaves no value")
                        .isEqualTo(batch.rows());
            }
        }
        ObjectMapper json = new ObjectMapper();
        List<String> letters = new ArrayList<>();
        for (String line : failed.isEmpty() ? List.<String>of() : Files.readAllLines(letters())) {
            JsonNode letter = json.readTree(line);
            assertThat(letter.get("stage").textValue()).isEqualTo("transform");
            letters.add(
                    letter.get("reason").textValue() + " " + letter.get("raw").textValue());
        }
        assertThat(letters).isEqualTo(failed);
    }

    @Test
    void process_manyRowsOfFewRecords_areEmittedBeforeTheBlockEnds() throws Exception {
        defineFunction();
        try (var harness = open(null)) {
            RawBlock block = new RawBlock("rides.jsonl", null);
            byte[] bytes = "{\"id\": 100000, \"status\": \"DONE\"}".getBytes(UTF_8);
            for (int i = 0; i < 3; i++) {
                block.add(bytes, 0, bytes.length, bytes.length, i);
            }
            harness.processElement(new StreamRecord<>(block));

            assertThat(harness.extractOutputValues())
                    .extracting(ColumnBatch::rows)
                    .containsExactly(10_000, 10_000, 10_000);
        }
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
