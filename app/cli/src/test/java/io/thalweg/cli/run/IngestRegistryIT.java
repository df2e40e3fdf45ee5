package io.thalweg.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.registry.SchemaRegistryFake;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code thalweg ingest} of messages that name their schemas in a registry. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestRegistryIT {
    private static final String SUBJECT = "rides value/1";
    private static final String BASIC = "Basic " + Base64.getEncoder().encodeToString("me:se cret".getBytes(UTF_8));

    @TempDir
    Path folder;

    private SchemaRegistryFake registry;
    private IngestFolder ingest;

    @BeforeEach
    void prepare() throws IOException {
        registry = SchemaRegistryFake.start();
        ingest = IngestFolder.in(folder);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                checkpoints: {dir: %s}
                schema_registry: {default: {url: "%s/", auth: {user: me, password: "se cret"}}}
                """.formatted(folder.resolve("checkpoints"), registry.url()));
        registry.requireAuthorization(BASIC);
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    private void define(String format, String more) throws IOException {
        ingest.define(
                "format: %s, schema: {registry: default, subject: \"%s\"%s}".formatted(format, SUBJECT, more), "");
    }

    private static byte[] confluent(int id, byte[] message) {
        return ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(id)
                .put(message)
                .array();
    }

    private List<@Nullable Object> ids() throws IOException {
        return ParquetFolder.rows(ingest.table()).stream()
                .map(row -> row.get("id"))
                .sorted()
                .toList();
    }

    private List<String> letters() throws IOException {
        return ingest.letters().stream()
                .map(letter -> letter.get("stage").asText() + " "
                        + letter.get("reason").asText())
                .toList();
    }

    /** The first byte is not 0, an id is unknown, or a schema is not compatible with the table's. */
    @Tag("test")
    @Test
    void ingest_avroOfSeveralWriters_isResolvedAndWhatNamesNoUsableSchemaIsALetter() throws IOException {
        int older = registry.register(
                SUBJECT,
                "AVRO",
                Rides.AVRO.replaceFirst("\"fields\": \\[", "\"fields\": [{\"name\": \"removed\", \"type\": \"int\"},"));
        int foreign =
                registry.register("other", "AVRO", Rides.AVRO.replace("\"type\": \"long\"}", "\"type\": \"string\"}"));
        int current = registry.register(SUBJECT, "AVRO", Rides.AVRO);
        define("avro", "");
        Encoder encoder = Rides.encoder(Format.AVRO, folder);
        byte[] ride = encoder.encode(7);
        List<byte[]> records = new ArrayList<>();
        for (int id = 0; id < 1_000; id++) {
            records.add(
                    id % 3 == 0
                            ? confluent(older, joined(new byte[] {14}, encoder.encode(id)))
                            : confluent(current, encoder.encode(id)));
        }
        records.addAll(List.of(
                ride,
                confluent(99, ride),
                confluent(foreign, ride),
                confluent(current, Arrays.copyOf(ride, 3)),
                new byte[] {0, 0},
                new byte[0]));
        Files.write(ingest.file("rides.in"), Rides.framed(records));

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts).containsEntry("events", 1_006L).containsEntry("written", 1_000L);
        assertThat(letters())
                .containsExactly(
                        "decode undecodable",
                        "decode unknown_schema",
                        "decode schema_incompatible",
                        "decode undecodable",
                        "decode undecodable",
                        "decode empty");
        List<Map<String, @Nullable Object>> rows = ParquetFolder.rows(ingest.table());
        rows.sort(Comparator.comparing(row -> (Long) row.get("id")));
        assertThat(rows)
                .isEqualTo(LongStream.range(0, 1_000).mapToObj(Rides::row).toList());
        assertThat(registry.requests())
                .as("the subject, and each of four ids once")
                .isEqualTo(5);
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource(
            value = Format.class,
            names = {"JSON", "PROTOBUF"})
    void ingest_jsonAndProtobuf_readThePinnedSchema(Format format) throws IOException {
        int id = format == Format.JSON
                ? registry.register(SUBJECT, "JSON", Files.readString(folder.resolve("ride.json")))
                : registry.register(SUBJECT, "PROTOBUF", descriptor());
        define(format.name().toLowerCase(java.util.Locale.ROOT), format == Format.JSON ? "" : ", type: Ride");
        Encoder encoder = Rides.encoder(format, folder);
        byte[] indexes = format == Format.JSON ? new byte[0] : new byte[1];
        Files.write(
                ingest.file("rides.in"),
                Rides.framed(LongStream.range(0, 100)
                        .mapToObj(each -> confluent(id, joined(indexes, encoder.encode(each))))
                        .toList()));

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts).containsEntry("bad", 0L).containsEntry("written", 100L);
        assertThat(ids()).isEqualTo(LongStream.range(0, 100).boxed().toList());
    }

    private String descriptor() throws IOException {
        FileDescriptorSet set = FileDescriptorSet.parseFrom(Files.readAllBytes(folder.resolve("ride.desc")));
        return Base64.getEncoder().encodeToString(set.getFile(0).toByteArray());
    }

    private static byte[] joined(byte[] head, byte[] tail) {
        return ByteBuffer.allocate(head.length + tail.length)
                .put(head)
                .put(tail)
                .array();
    }

    /** After the subject was read, the registry is unavailable until the job has requested a schema three times. */
    @Tag("faults")
    @Test
    void ingest_registryThatIsAwayForAWhile_waitsAndNothingIsBad() throws Exception {
        registry.register(SUBJECT, "AVRO", Rides.AVRO);
        int newer = registry.register(
                "newer", "AVRO", Rides.AVRO.replace("\"name\": \"Ride\"", "\"name\": \"Ride\", \"doc\": \"newer\""));
        define("avro", "");
        Encoder encoder = Rides.encoder(Format.AVRO, folder);
        Files.write(
                ingest.file("rides.in"),
                Rides.framed(LongStream.range(0, 100)
                        .mapToObj(id -> confluent(newer, encoder.encode(id)))
                        .toList()));
        registry.goAwayAfter(1);

        CompletableFuture<Map<String, Long>> counts = CompletableFuture.supplyAsync(ingest::succeed);
        registry.awaitRequests(4, TimeUnit.MINUTES.toMillis(2));
        registry.setAway(false);

        assertThat(result(counts)).containsEntry("bad", 0L).containsEntry("written", 100L);
        assertThat(ids()).hasSize(100);
    }

    private static <T> T result(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource({"avro, ride.avsc, confluent", "avro, ride.avsc, single_object", "json, ride.json, confluent"})
    void generate_schemaInAFile_isRegisteredAndWhatIsWrittenIsRead(String format, String file, String wire)
            throws IOException {
        define(format, ", file: %s, wire: %s".formatted(file, wire));
        CommandRun generated = CommandRun.of(
                "generate",
                folder.resolve("rides.yaml"),
                "--config",
                folder.resolve("thalweg.yaml"),
                "--count",
                500,
                "--corrupt",
                "0%",
                "--quiet",
                "--to",
                ingest.file("rides.in"));
        assertThat(generated.exit()).as(generated.err()).isZero();

        assertThat(ingest.succeed()).containsEntry("bad", 0L).containsEntry("written", 500L);
    }

    @Tag("test")
    @Test
    void ingest_registryThatCannotBeUsed_saysWhyBeforeItStarts() throws IOException {
        define("avro", "");
        assertRefused(2, "rides: source.schema: subject " + SUBJECT + " is not in schema registry default at ");
        registry.register(SUBJECT, "JSON", "{}");
        assertRefused(2, "must be of type AVRO, was JSON");
        registry.requireAuthorization("Bearer other");
        assertRefused(1, "cannot be used: it answers with status 401: Unauthorized");
        registry.close();
        assertRefused(1, "schema registry default at " + registry.url() + " cannot be used", "schema_registry");
        ingest.define("format: avro, schema: {registry: main, subject: s}", "");
        assertRefused(2, "source.schema: schema registry 'main' is not in thalweg.yaml; add schema_registry: {main: ");
        assertThat(ingest.table()).doesNotExist();
    }

    private void assertRefused(int exit, String... words) {
        CommandRun run = ingest.run();
        assertThat(run.exit()).as(run.err()).isEqualTo(exit);
        assertThat(run.err()).contains(words).doesNotContain("unexpected:", "\tat ", "se cret");
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "format: avro, schema: {registry: default}                              | schema.subject: is required",
                "format: avro, schema: {file: ride.avsc, subject: s}                    | schema.subject: goes with registry only",
                "format: avro, schema: {file: ride.avsc, wire: confluent}               | schema.wire: confluent needs a registry",
                "format: json, schema: {file: ride.json, wire: single_object}           | schema.wire: single_object goes with format: avro only",
                "format: thrift, schema: {registry: default, subject: s}                | schema.registry: does not go with format: thrift",
                "format: avro, schema: {registry: default, subject: s, version: newest} | schema.version"
            })
    void ingest_schemaKeysThatDoNotFit_exits2AndNamesTheKey(String source, String rule) throws IOException {
        ingest.define(source, "");
        assertRefused(2, rule);
    }

    /** An ingest of plain Avro from files into a topic of a broker that does not exist: the registry is queried first. */
    private void defineTopic(String schema) throws IOException {
        ingest.define("format: avro, schema: {file: ride.avsc}", "fields: [id, status]");
        Path spec = folder.resolve("rides.yaml");
        Files.writeString(
                spec,
                Files.readString(spec)
                        .replace("parquet: table", "topic: rides-out, format: avro, schema: {" + schema + "}"));
    }

    /** Runs a command on the definition and requires that it succeeds; returns its output. */
    private String command(Object... command) {
        List<Object> all = new ArrayList<>(Arrays.asList(command));
        all.addAll(List.of(folder.resolve("rides.yaml"), "--config", folder.resolve("thalweg.yaml")));
        CommandRun run = CommandRun.of(all.toArray());
        assertThat(run.exit()).as(run.err()).isZero();
        return run.out() + run.err();
    }

    @Tag("test")
    @Test
    void ingestIntoATopic_registryWithoutTheSchema_saysWhyBeforeItStarts() throws IOException {
        defineTopic("registry: default");
        assertThat(command("explain"))
                .contains(
                        "topic rides-out as avro, wire confluent, schema in subject rides-out-value of registry default,");
        assertThat(command("export", "terraform", "--out", folder.resolve("module")))
                .contains("main.tf");
        assertThat(folder.resolve("module/main.tf"))
                .content()
                .contains("# Subject rides-out-value of schema registry default: thalweg ingest rides --provision");
        assertThat(registry.requests()).as("neither asks the registry").isZero();
        String subject = "rides: sink.schema: subject rides-out-value ";
        assertRefused(2, subject + "is not in schema registry default at ", "--provision");
        registry.register(
                "rides-out-value",
                "AVRO",
                "{\"type\": \"record\", \"name\": \"rides\", \"fields\": [{\"name\": \"id\", \"type\": \"string\"},"
                        + " {\"name\": \"city\", \"type\": \"string\"},"
                        + " {\"name\": \"zone\", \"type\": [\"null\", \"int\"]}]}");
        assertRefused(
                2,
                subject + "of schema registry default at ",
                "version 1 differs: column 'zone' of the schema is not written;"
                        + " column 'id' is text in the schema, but int64 is written;"
                        + " column 'status' is not in the schema;"
                        + " column 'city' is required by the schema, but is not written;",
                "register the new schema with --provision");
        registry.refuse("Schema being registered is incompatible with an earlier schema for subject");
        CommandRun provision = ingest.run("--provision");
        assertThat(provision.exit()).as(provision.err()).isEqualTo(2);
        assertThat(provision.err())
                .contains(
                        "refuses a schema for subject rides-out-value: Schema being registered is incompatible with an earlier schema for subject;",
                        "change the compatibility of the subject");
        CommandRun replay = CommandRun.of(
                "replay",
                folder.resolve("rides.yaml"),
                "--config",
                folder.resolve("thalweg.yaml"),
                "--letters",
                Files.createFile(folder.resolve("none.jsonl")));
        assertThat(replay.exit()).as(replay.err()).isEqualTo(2);
        assertThat(replay.err()).contains(subject);

        registry.register("rides-json", "JSON", "{}");
        defineTopic("registry: default, subject: rides-json");
        assertRefused(2, "must be of type AVRO, was JSON; correct sink.schema.subject");
        registry.setAway(true);
        assertRefused(1, "schema registry default at " + registry.url() + " cannot be used", "schema_registry");
        defineTopic("registry: main");
        assertRefused(2, "sink.schema: schema registry 'main' is not in thalweg.yaml; add schema_registry: {main: ");
    }
}
