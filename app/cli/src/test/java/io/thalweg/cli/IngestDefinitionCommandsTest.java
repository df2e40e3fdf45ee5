package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code validate}, {@code views}, {@code explain} and {@code generate} of ingests. */
final class IngestDefinitionCommandsTest {
    private static final String EVENTS = """
            {"id":"a","fare":2.5,"at":"2026-11-23T10:00:00Z","stops":[1,2]}
            {"id":"b","fare":3,"at":"2026-11-23T10:00:01Z"}
            {"fare":3,"at":"2026-11-23T10:00:02Z"}
            {"id":"c","fare":0,"at":"yesterday"}
            """;

    @TempDir
    private Path folder = Path.of("");

    private Path spec = Path.of("");
    private Path events = Path.of("");
    private final TestConsole console = new TestConsole();

    @BeforeEach
    void write() throws IOException {
        spec = Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {topic: rides, format: json, schema: {file: rides.json}}
                where: {fare: {gt: 0}}
                sink: {parquet: out}
                """);
        events = Files.writeString(folder.resolve("rides.jsonl"), EVENTS);
    }

    private Path schema() throws IOException {
        return Files.writeString(folder.resolve("rides.json"), """
                {"type": "object", "required": ["id", "fare"], "properties": {
                  "id": {"type": "string"}, "fare": {"type": "number"}, "at": {"type": "string", "format": "date-time"}}}
                """);
    }

    @Test
    void validate_ingestWithASample_addsUp() throws IOException {
        schema();
        assertThat(console.run("validate", spec.toString(), "--sample", events.toString()))
                .isZero();
        assertThat(console.out())
                .startsWith("rides: valid; columns id, fare, at; json messages of topic rides; table parquet " + folder)
                .contains("  events 4 = kept 2 + filtered 1 + bad 1\n")
                .contains("    missing_field 1, first at 3 of " + events + ": 'id' must be there\n");
    }

    @Test
    void ingest_filesAndPartitionsWithoutEvents_areNamedAndSkipped() throws IOException {
        schema();
        Path empty = Files.createFile(folder.resolve("none.jsonl"));
        Path day = Files.createDirectory(folder.resolve("dt=2026-11-28"));
        Files.createFile(day.resolve("_SUCCESS"));

        assertThat(console.run("ingest", spec.toString(), "--input", folder + "/*.jsonl", "--dry-run"))
                .isZero();
        assertThat(console.err())
                .contains("rides: skipped 1 file without rows: " + empty + "\n")
                .contains("events=4 ");
        assertThat(console.run("ingest", spec.toString(), "--input", day + "/*.jsonl"))
                .isZero();
        assertThat(console.err()).contains("rides: no files to read, only _SUCCESS\n");
    }

    /** A union of a struct without fields, in a list, beside structs that no message uses. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    thrift   | ride.thrift, type: Ride | changes.nothing
                    avro     | ride.avsc               | changes.nothing
                    protobuf | ride.desc, type: Ride   | changes.nothing, old.part
                    """)
    void ingest_structWithoutFieldsInAList_isLeftOut(String format, String schema, String exclude) throws IOException {
        Files.writeString(folder.resolve("ride.thrift"), """
                struct Old { string name, i32 count }
                struct Nothing {}
                union Change { 1: Nothing nothing, 2: string text }
                struct Ride { 1: required i64 id, 2: list<Change> changes }
                """);
        Files.writeString(folder.resolve("ride.avsc"), """
                {"type": "record", "name": "Ride", "fields": [{"name": "id", "type": "long"},
                  {"name": "changes", "type": {"type": "array", "items": {"type": "record", "name": "Change", "fields": [
                    {"name": "nothing", "type": ["null", {"type": "record", "name": "Nothing", "fields": []}]},
                    {"name": "text", "type": ["null", "string"]}]}}}]}
                """);
        Files.write(folder.resolve("ride.desc"), groupAndRide());
        String ingest = """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {topic: rides, format: %s, schema: {file: %s}}
                sink: {parquet: out}
                generate: {collections: 2..4}
                """.formatted(format, schema);
        Files.writeString(spec, ingest);
        Path rides = folder.resolve("rides.bin");

        assertThat(console.run("validate", spec.toString())).isEqualTo(2);
        assertThat(console.err())
                .contains("rides: fields: '" + exclude.replaceAll(".*, ", "") + "' ")
                .contains("leave it out with 'exclude'");
        Files.writeString(spec, ingest + "exclude: [" + exclude + "]\n");
        assertThat(console.run("generate", spec.toString(), "--count", "20", "--to", rides.toString()))
                .as(console.err())
                .isZero();
        assertThat(console.run("ingest", spec.toString(), "--input", rides.toString(), "--dry-run"))
                .as(console.err())
                .isZero();
        assertThat(console.err()).contains("events=20 filtered=0 bad=0 kept=20");
        assertThat(console.out()).contains("\"changes\":[{\"text\":").doesNotContain("nothing");
        Files.writeString(spec, ingest + "exclude: [changes.none]\n");
        assertThat(console.run("validate", spec.toString())).isEqualTo(2);
        assertThat(console.err())
                .contains("rides: fields: 'changes.none' in 'exclude' is not a field of the schema; 'none' must be one"
                        + " of nothing, text");
    }

    /** A set of descriptors: Ride, whose changes are a oneof, and Old, which has a group. */
    private static byte[] groupAndRide() {
        FieldDescriptorProto.Builder field =
                FieldDescriptorProto.newBuilder().setNumber(1).setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
        FieldDescriptorProto.Builder message = field.clone().setType(FieldDescriptorProto.Type.TYPE_MESSAGE);
        FieldDescriptorProto.Builder text =
                field.clone().setName("text").setNumber(2).setType(FieldDescriptorProto.Type.TYPE_STRING);
        FileDescriptorProto file = FileDescriptorProto.newBuilder()
                .setName("ride.proto")
                .addMessageType(DescriptorProto.newBuilder()
                        .setName("Old")
                        .addField(field.clone()
                                .setName("part")
                                .setType(FieldDescriptorProto.Type.TYPE_GROUP)
                                .setTypeName(".Old.Part"))
                        .addField(field.clone()
                                .setName("count")
                                .setNumber(2)
                                .setType(FieldDescriptorProto.Type.TYPE_INT32))
                        .addNestedType(DescriptorProto.newBuilder().setName("Part")))
                .addMessageType(DescriptorProto.newBuilder().setName("Nothing"))
                .addMessageType(DescriptorProto.newBuilder()
                        .setName("Change")
                        .addOneofDecl(OneofDescriptorProto.newBuilder().setName("change"))
                        .addField(message.clone()
                                .setName("nothing")
                                .setTypeName(".Nothing")
                                .setOneofIndex(0))
                        .addField(text.setOneofIndex(0)))
                .addMessageType(DescriptorProto.newBuilder()
                        .setName("Ride")
                        .addField(field.clone().setName("id").setType(FieldDescriptorProto.Type.TYPE_INT64))
                        .addField(message.clone()
                                .setName("changes")
                                .setNumber(2)
                                .setTypeName(".Change")
                                .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED))
                        .addField(message.clone().setName("old").setNumber(3).setTypeName(".Old")))
                .build();
        return FileDescriptorSet.newBuilder().addFile(file).build().toByteArray();
    }

    @Test
    void validate_schemaMissing_namesTheKeyAndTheFile() {
        assertThat(console.run("validate", spec.toString())).isEqualTo(2);
        assertThat(console.err()).contains("rides: source.schema: ").contains("rides.json");
    }

    @Test
    void validate_severalSchemasMissing_reportsAll() throws IOException {
        Path other = Files.writeString(
                spec.resolveSibling("trips.yaml"), Files.readString(spec).replace("name: rides", "name: trips"));
        assertThat(console.run("validate", spec.toString(), other.toString())).isEqualTo(2);
        assertThat(console.err()).contains("rides: source.schema: ", "trips: source.schema: ");
    }

    /** A definition that cannot be read hides neither the schemas nor the tests of the others. */
    @Test
    void validate_oneDefinitionBroken_reportsThoseOfAll() throws IOException {
        Path broken = Files.writeString(folder.resolve("broken.yaml"), "kind: [Ingest");
        Path wrong = Files.writeString(
                folder.resolve("wrong.yaml"), Files.readString(spec).replace("name: rides", "name: Wrong"));
        Path good = Files.writeString(
                folder.resolve("good.yaml"),
                Files.readString(spec).replace("name: rides", "name: good").replace("rides.json}", "good.json}"));
        Files.writeString(folder.resolve("good.json"), """
                {"type": "object", "properties": {"id": {"type": "string"}, "fare": {"type": "number"}}}
                """);
        Path tests = Files.writeString(folder.resolve("tests.yaml"), """
                apiVersion: thalweg/v1
                kind: Test
                name: of_good
                ingest: good
                events: [{id: a}]
                expect: {rows: [{idd: a}]}
                ---
                apiVersion: thalweg/v1
                kind: Test
                name: of_wrong
                ingest: wrong
                events: [{id: a}]
                expect: {rows: [{idd: a}]}
                """);

        assertThat(console.run(
                        "validate",
                        broken.toString(),
                        wrong.toString(),
                        spec.toString(),
                        good.toString(),
                        tests.toString()))
                .isEqualTo(2);

        assertThat(console.out()).isEmpty();
        assertThat(console.err())
                .contains(broken + ":1: ")
                .contains(wrong + ":3: name: must be a name")
                .contains("rides: source.schema: ", "rides.json")
                .contains(tests + ":6: expect.rows[0].idd: is not a column of the table")
                .doesNotContain(tests + ":1");
        assertThat(console.err().lines().filter(line -> line.contains("must be a name")))
                .hasSize(1);
    }

    @Test
    void validate_columnsThatDifferOnlyByCase_refusedForBigQueryAndWarnedOfForFiles() throws IOException {
        Files.writeString(folder.resolve("rides.json"), """
                {"type": "object", "properties": {"id": {"type": "string"}, "ID": {"type": "string"},
                  "fare": {"type": "number"}, "stops": {"type": "array", "items": {"type": "object", "properties": {
                    "at": {"type": "string"}, "At": {"type": "string"}}}}}}
                """);
        String warning =
                "  warning: '%s' and '%s' differ only by case, which Hive, Spark and Trino ignore; rename one with"
                        + " 'fields'\n";
        String parquet = Files.readString(spec);

        assertThat(console.run("validate", spec.toString())).isZero();
        assertThat(console.out())
                .contains(warning.formatted("id", "ID"))
                .contains(warning.formatted("stops.at", "stops.At"));
        Files.writeString(spec, parquet.replace("{parquet: out}", "{bigquery: my-project.rides.events}"));
        assertThat(console.run("validate", spec.toString())).isEqualTo(2);
        assertThat(console.err())
                .contains(
                        "rides: fields: 'id' and 'ID' are one column in BigQuery, which ignores case; rename one of them");
        Files.writeString(spec, parquet.replace("{parquet: out}", "{topic: copy, format: json}"));
        TestConsole another = new TestConsole();
        assertThat(another.run("validate", spec.toString())).as(another.err()).isZero();
        assertThat(another.out()).contains("rides: valid").doesNotContain("warning");
    }

    @Test
    void validate_writeSchema_infersOneThatTheDefinitionCanUse() throws IOException {
        Files.writeString(events, """
                {"id":"a","fare":2.5,"at":"2026-11-23T10:00:00Z","stops":[1,2],"mixed":1}
                {"id":"b","fare":3,"at":"2026-11-23T10:00:01Z","mixed":"one"}
                """);
        Path schema = folder.resolve("rides.json");
        assertThat(console.run(
                        "validate",
                        spec.toString(),
                        "--sample",
                        events.toString(),
                        "--write-schema",
                        schema.toString()))
                .as(console.err())
                .isZero();
        assertThat(console.out())
                .contains("wrote " + schema)
                .containsPattern("left out: .*mixed")
                .contains("rides: valid; columns id, fare, at, stops;")
                .contains("events 2 = kept 2 + filtered 0 + bad 0");
        TestConsole again = new TestConsole();
        assertThat(again.run(
                        "validate",
                        spec.toString(),
                        "--sample",
                        events.toString(),
                        "--write-schema",
                        schema.toString()))
                .isEqualTo(2);
        assertThat(again.err()).contains("--write-schema " + schema + " exists");
    }

    @Test
    void viewsAndExplain_ingest_areListedAndExplained() throws IOException {
        schema();
        assertThat(console.run("views", spec.toString())).isZero();
        assertThat(console.out()).containsPattern("rides +1 +- +- +json from topic rides +parquet " + folder);
        TestConsole explain = new TestConsole();
        assertThat(explain.run("explain", spec.toString())).isZero();
        assertThat(explain.out())
                .contains("translate  json, 1 conditions")
                .contains("exactly once")
                .contains("required double fare;")
                .contains("optional int64 at (TIMESTAMP(MICROS,true));");
    }

    private void sink(String sink) throws IOException {
        Files.writeString(spec, Files.readString(spec).replaceFirst("sink: .*\n", "sink: {" + sink + "}\n"));
    }

    @Test
    void explain_ingestIntoATopic_printsTheSchemaForItsReaders() throws IOException {
        schema();
        sink("topic: rides-avro");
        assertThat(console.run("explain", spec.toString(), "--avro-schema")).isZero();
        Schema avro = new Schema.Parser().parse(console.out());
        assertThat(avro.getName()).isEqualTo("rides");
        assertThat(avro.getFields()).extracting(Schema.Field::name).containsExactly("id", "fare", "at");

        sink("topic: rides-objects, schema: {wire: single_object}");
        TestConsole objects = new TestConsole();
        assertThat(objects.run("explain", spec.toString())).as(objects.err()).isZero();
        assertThat(objects.out())
                .contains("topic rides-objects as avro, wire single_object, visible at once; at least once");

        sink("topic: rides-json, format: json, delivery: exactly_once");
        TestConsole json = new TestConsole();
        assertThat(json.run("explain", spec.toString())).isZero();
        assertThat(json.out())
                .contains("topic rides-json as json, committed every 10s; exactly once")
                .contains("\"format\" : \"date-time\"");
    }

    @Test
    void explain_avroSchemaOfATable_saysWhatItGoesWith() throws IOException {
        schema();
        assertThat(console.run("explain", spec.toString(), "--avro-schema")).isEqualTo(2);
        assertThat(console.err())
                .contains("rides does not write messages of Avro, but to parquet")
                .contains("--avro-schema goes with sink.topic");
    }

    @Test
    void validate_schemaOfTheTopicDiffers_listsAllDifferences() throws IOException {
        schema();
        sink("topic: rides-avro, schema: {file: other.avsc}");
        Files.writeString(folder.resolve("other.avsc"), """
                {"type": "record", "name": "Ride", "fields": [
                  {"name": "fare", "type": "float"}, {"name": "at", "type": "string"}, {"name": "rider", "type": "string"}]}
                """);
        assertThat(console.run("validate", spec.toString())).isEqualTo(2);
        assertThat(console.err())
                .contains("rides: sink.schema: column 'id' is not in the schema;"
                        + " column 'fare' is float in the schema, but double is written;"
                        + " column 'at' is required by the schema, but may be missing;"
                        + " column 'at' is text in the schema, but timestamp is written;"
                        + " column 'rider' is required by the schema, but is not written");
    }

    @Test
    void ingestDryRun_originOfRows_isTheirLastColumn() throws IOException {
        schema();
        sink("parquet: out, origin: true");
        assertThat(console.run("ingest", spec.toString(), "--input", events.toString(), "--dry-run", "--quiet"))
                .as(console.err())
                .isZero();
        assertThat(console.out())
                .contains("required group _origin {")
                .contains("\"_origin\":{\"source\":\"" + events + "\",\"offset\":1,\"index\":0}}");
        sink("parquet: out, origin: true");
        Files.writeString(spec, Files.readString(spec) + "fields: [{_origin: id}]\n");
        TestConsole twice = new TestConsole();
        assertThat(twice.run("validate", spec.toString())).isEqualTo(2);
        assertThat(twice.err()).contains("rides: sink.origin: there is a column '_origin'");
    }

    @Test
    void validate_unknownFieldsRefused_areBad() throws IOException {
        schema();
        sink("parquet: out, unknown_fields: dead_letter");
        assertThat(console.run("validate", spec.toString(), "--sample", events.toString()))
                .isZero();
        assertThat(console.out())
                .contains("  events 4 = kept 1 + filtered 1 + bad 2\n")
                .contains("    unknown_field 1, first at 1 of " + events
                        + ": the message has 1 field that is not in the" + " schema (sink.unknown_fields)\n");
    }

    @Test
    void generate_sameSeed_sameBytesAndAnotherSeedOthers() throws IOException {
        schema();
        Path first = folder.resolve("first.jsonl");
        Path second = folder.resolve("second.jsonl");
        Path other = folder.resolve("other.jsonl");
        for (Path to : new Path[] {first, second}) {
            assertThat(new TestConsole()
                            .run("generate", spec.toString(), "--count", "500", "--to", to.toString(), "--quiet"))
                    .isZero();
        }
        assertThat(console.run(
                        "generate",
                        spec.toString(),
                        "--count",
                        "500",
                        "--seed",
                        "2",
                        "--to",
                        other.toString(),
                        "--quiet"))
                .isZero();
        assertThat(Files.readString(second)).isEqualTo(Files.readString(first)).isNotEqualTo(Files.readString(other));
        assertThat(Files.readAllLines(first)).hasSize(500);
        assertThat(console.err()).contains("rides: messages=500 ");
    }

    @Test
    void generate_corruptShare_isWhatValidateFindsBad() throws IOException {
        schema();
        Path made = folder.resolve("made.jsonl");
        assertThat(console.run(
                        "generate",
                        spec.toString(),
                        "--count",
                        "10000",
                        "--corrupt",
                        "2%",
                        "--to",
                        made.toString(),
                        "--quiet"))
                .isZero();
        Files.writeString(spec, Files.readString(spec).replaceFirst("where: .*\n", ""));
        TestConsole validate = new TestConsole();
        assertThat(validate.run("validate", spec.toString(), "--sample", made.toString()))
                .isZero();
        assertThat(validate.out()).contains("events 10000 = kept 9800 + filtered 0 + bad 200");
    }

    @Test
    void generate_wrongOptions_nameTheOption() throws IOException {
        schema();
        for (String[] wrong : new String[][] {
            {"--count", "-1"}, {"--seconds", "0"}, {"--rate", "0"}, {"--size", "9"}, {"--corrupt", "200%"}
        }) {
            TestConsole bad = new TestConsole();
            assertThat(bad.run("generate", spec.toString(), wrong[0], wrong[1], "--to", folder + "/x.jsonl"))
                    .as(wrong[0])
                    .isEqualTo(2);
            assertThat(bad.err()).contains(wrong[0] + " must be");
        }
    }

    private void readSubscription() throws IOException {
        schema();
        Files.writeString(
                spec,
                Files.readString(spec)
                        .replace("topic: rides", "pubsub: projects/my-project/subscriptions/rides, dedup: 10m"));
    }

    @Test
    void explain_subscription_namesItsBoundAndTheExchange() throws IOException {
        readSubscription();
        assertThat(console.run("explain", spec.toString())).isZero();
        assertThat(console.out())
                .contains("ingest rides: one chain per subtask, behind an exchange by message id\n")
                .contains("  read       subscription projects/my-project/subscriptions/rides\n")
                .contains("250,000 messages and 256MiB unacknowledged on a stream: with a checkpoint every 1m,"
                        + " up to 4,167 messages and 4 MB a second\n")
                .contains("  dedup      a message id that was delivered within 10m is dropped\n");
    }

    @Test
    void ingest_idleWithoutOnce_isRefused() throws IOException {
        readSubscription();
        assertThat(console.run("ingest", spec.toString(), "--idle", "5s")).isEqualTo(2);
        assertThat(console.err()).contains("--idle goes with --once only");
    }

    @Test
    void generate_toPubSubOfATopic_isRefused() throws IOException {
        schema();
        assertThat(console.run("generate", spec.toString(), "--to", "pubsub")).isEqualTo(2);
        assertThat(console.err()).contains("rides reads topic rides, not a subscription");
    }
}
