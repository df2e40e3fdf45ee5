package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.Rides.Format;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code thalweg ingest} refuses what it cannot do in a few lines that name the key, the value and the remedy. */
@Tag("test")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestErrorsIT {
    @TempDir
    Path folder;

    private IngestFolder ingest;

    @BeforeEach
    void prepare() throws IOException {
        ingest = IngestFolder.in(folder);
        Files.write(
                ingest.file("rides.in"),
                Rides.framed(List.of(Rides.encoder(Format.THRIFT_BINARY, folder).encode(1))));
    }

    private static void assertRefused(CommandRun run, int exit, String... words) {
        assertThat(run.exit()).as(run.err()).isEqualTo(exit);
        assertThat(run.failures()).as(run.err()).isNotEmpty();
        assertThat(run.err()).contains(words).doesNotContain("unexpected:", "\tat ", "java.nio", "defect");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fields: [id, fair]                       | fields | fair",
                "fields: [payload.rider.name]             | fields | payload.rider.name",
                "fields: [id, {id: payload.rider.id}]     | fields | two fields become column 'id'",
                "fields: ['*', {status: payload.rider.id}] | status | fields",
                "fields: []                               | fields | at least one field",
                "where: {payload: [x]}                    | where  | payload",
                "where: {stops: [1]}                      | where  | stops",
                "where: {state: [REQUEST]}                | where  | state"
            })
    void ingest_unfitDefinition_exits2AndNamesTheKey(String line, String key, String value) throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, line);

        assertRefused(ingest.run(), 2, key, value);
        assertThat(ingest.table()).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "format: thrift, schema: {file: no.thrift, type: Ride}                | no.thrift",
                "format: thrift, schema: {file: ride.thrift}                          | Ride",
                "format: thrift, schema: {file: ride.thrift, type: Rode}              | Rode",
                "format: thrift, schema: {file: broken}                               | broken",
                "format: avro, schema: {file: no.avsc}                                | no.avsc",
                "format: avro, schema: {file: broken}                                 | broken",
                "format: json, schema: {file: no.json}                                | no.json",
                "format: json, schema: {file: broken}                                 | broken",
                "format: protobuf, schema: {file: no.desc}                            | no.desc",
                "format: protobuf, schema: {file: broken}                             | broken",
                "format: protobuf, schema: {file: ride.desc, type: Rode}              | Rode"
            })
    void ingest_schemaThatCannotBeUsed_exits2AndNamesTheFile(String source, String words) throws IOException {
        Files.writeString(ingest.file("broken"), "{ this is <no schema");
        ingest.define(source, "");

        assertRefused(ingest.run(), 2, words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "AVRO | {compression: brotli}         | compression | one of none, gzip, zlib, zstd, lz4, snappy",
                "AVRO | {compression: {header: codec}} | compression.header | goes with a topic only",
                "AVRO | {messages: thrift_list}       | messages    | goes with format: thrift only, was avro",
                "JSON | {messages: avro_container}    | messages    | goes with format: avro only, was json"
            })
    void ingest_envelopeThatDoesNotFit_exits2AndNamesTheKey(Format format, String envelope, String key, String rule)
            throws IOException {
        ingest.define(format.source + ", envelope: " + envelope, "");

        assertRefused(ingest.run(), 2, "source.envelope." + key.strip(), rule);
    }

    @Test
    void ingest_inputThatIsNotThere_exits1AndNamesIt() throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, "");

        assertRefused(ingest.run("--input", ingest.file("no.bin")), 1, "--input", "no.bin does not exist");
        assertRefused(ingest.run("--input", folder), 1, "is a folder");
        Files.delete(ingest.file("rides.in"));
        assertRefused(ingest.run(), 1, "*.in matches no file");
    }

    @Test
    void ingest_tableThatIsAFile_exits1AndNamesTheKey() throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, "");
        Files.writeString(ingest.table(), "taken");

        assertRefused(ingest.run(), 1, "sink.parquet", ingest.table().toString(), "is a file, not a folder", "hint: ");
        assertThat(ingest.table()).hasContent("taken");
    }

    @Test
    void ingest_deadLettersThatCannotBeWritten_exits1BeforeItStarts() throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, "");
        Files.writeString(ingest.file("taken"), "");

        assertRefused(
                ingest.run("--dead-letters", ingest.file("taken/dead.jsonl")),
                1,
                "dead letters",
                "taken is a file, not a folder",
                "hint: ");
        assertRefused(ingest.run("--dead-letters", folder), 1, "it is a folder");
        assertThat(ParquetFolder.files(ingest.table())).isEmpty();
    }

    @Test
    void ingest_deadLettersInAFolderThatIsMissing_makesIt() throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, "");
        Files.write(ingest.file("rides.in"), Rides.framed(List.of(new byte[] {77})));

        ingest.succeed("--dead-letters", ingest.file("new/dead.jsonl"));

        assertThat(ingest.file("new/dead.jsonl")).isNotEmptyFile();
    }

    @Test
    void ingest_gzipThatIsCut_exits1AndNamesTheFile() throws IOException {
        ingest.define(Format.JSON.source, "");
        byte[] lines = Rides.compress("gzip", Rides.encoder(Format.JSON, folder).encode(1));
        Files.write(ingest.file("cut.jsonl.gz"), java.util.Arrays.copyOf(lines, lines.length - 5));

        CommandRun run = ingest.run("--input", ingest.file("cut.jsonl.gz"));

        assertRefused(run, 1, "cut.jsonl.gz: gzip data ends too early, the file is incomplete");
        assertThat(ParquetFolder.files(ingest.table())).isEmpty();
    }
}
