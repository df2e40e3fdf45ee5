package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code thalweg ingest}: each event of files becomes one row of a table, whatever its format and whatever happens on the way. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int EVENTS = 20_000;
    private static final int KILLED_FILES = 8;
    private static final int KILLED_EVENTS = Integer.getInteger("thalweg.killed.events", 20_000);

    @TempDir
    Path folder;

    private IngestFolder ingest;

    @BeforeEach
    void prepare() throws IOException {
        ingest = IngestFolder.in(folder);
    }

    /** Writes framed records of one message each. */
    private void write(String name, Encoder encoder, long from, long to) throws IOException {
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(ingest.file(name))))) {
            for (long id = from; id < to; id++) {
                byte[] message = encoder.encode(id);
                out.writeInt(message.length);
                out.write(message);
            }
        }
    }

    private static void writeLines(OutputStream to, Encoder encoder, long from, long end) throws IOException {
        try (OutputStream out = new BufferedOutputStream(to)) {
            for (long id = from; id < end; id++) {
                out.write(encoder.encode(id));
                out.write('\n');
            }
        }
    }

    private List<Map<String, @Nullable Object>> rows() throws IOException {
        List<Map<String, @Nullable Object>> rows = ParquetFolder.rows(ingest.table());
        rows.sort(Comparator.comparing(row -> (Long) row.get("id")));
        return rows;
    }

    private void assertAllRows(Map<String, Long> counts, int events) throws IOException {
        assertThat(counts)
                .containsEntry("events", (long) events)
                .containsEntry("written", (long) events)
                .containsEntry("bad", 0L)
                .containsEntry("filtered", 0L);
        assertThat(rows())
                .isEqualTo(LongStream.range(0, events).mapToObj(Rides::row).toList());
        assertThat(ingest.file("dead.jsonl"))
                .as("where all is well there are no letters")
                .doesNotExist();
        assertThat(ingest.checkpoints()).as("what is done is not gone on with").isEmpty();
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource(value = Format.class, names = "JSON", mode = EnumSource.Mode.EXCLUDE)
    void ingest_framedFiles_rowsAreTheEvents(Format format) throws IOException {
        ingest.define(format.source, "");
        Encoder encoder = Rides.encoder(format, folder);
        write("a.in", encoder, 0, EVENTS / 3);
        write("b.in", encoder, EVENTS / 3, EVENTS);

        assertAllRows(ingest.succeed("--parallelism", 2), EVENTS);
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource({"rides.jsonl", "rides.jsonl.gz"})
    void ingest_linesOfJson_rowsAreTheEvents(String name) throws IOException {
        ingest.define(Format.JSON.source, "");
        OutputStream out = Files.newOutputStream(ingest.file(name));
        writeLines(
                name.endsWith(".gz") ? new GZIPOutputStream(out) : out, Rides.encoder(Format.JSON, folder), 0, EVENTS);

        assertAllRows(ingest.succeed("--input", ingest.file(name)), EVENTS);
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource({"null", "deflate", "snappy", "zstandard"})
    void ingest_avroContainer_rowsAreTheEvents(String codec) throws IOException {
        ingest.define(Format.AVRO.source, "");
        Rides.writeContainer(ingest.file("rides.avro"), codec, 0, EVENTS);

        assertAllRows(ingest.succeed("--input", ingest.file("rides.avro")), EVENTS);
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource({
        "THRIFT_BINARY, gzip, one",
        "THRIFT_COMPACT, zstd, length_prefixed",
        "AVRO, snappy, length_prefixed",
        "JSON, zlib, lines",
        "PROTOBUF, gzip, length_prefixed"
    })
    void ingest_envelopes_rowsAreTheEvents(Format format, String compression, String messages) throws IOException {
        ingest.define(
                format.source + ", envelope: {compression: %s, messages: %s}".formatted(compression, messages), "");
        Encoder encoder = Rides.encoder(format, folder);
        int each = messages.equals("one") ? 1 : 50;
        List<byte[]> records = new ArrayList<>();
        for (long first = 0; first < EVENTS; first += each) {
            List<byte[]> batch = LongStream.range(first, first + each)
                    .mapToObj(encoder::encode)
                    .toList();
            records.add(Rides.compress(compression, joined(messages, batch)));
        }
        Files.write(ingest.file("rides.in"), Rides.framed(records));

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts).containsEntry("records", (long) EVENTS / each);
        assertAllRows(counts, EVENTS);
    }

    private static byte[] joined(String messages, List<byte[]> batch) {
        return switch (messages) {
            case "one" -> batch.get(0);
            case "length_prefixed" -> Rides.framed(batch);
            default ->
                String.join("\r\n", batch.stream().map(IngestIT::text).toList())
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
        };
    }

    private static String text(byte[] message) {
        return new String(message, java.nio.charset.StandardCharsets.UTF_8);
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource(Format.class)
    void ingest_whereAndFields_keepWhatTheySay(Format format) throws IOException {
        ingest.define(format.source + ", framing: length_prefixed", """
                where: {status: {not: [TEST]}}
                fields: [id, {rider: payload.rider.id}, {riders_age: payload.rider.age}, stops, {state: status}]""");
        write("rides.in", Rides.encoder(format, folder), 0, EVENTS);

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts)
                .containsEntry("events", (long) EVENTS)
                .containsEntry("filtered", EVENTS / 4L)
                .containsEntry("written", EVENTS * 3L / 4);
        assertThat(rows())
                .isEqualTo(LongStream.range(0, EVENTS)
                        .filter(id -> !Rides.status(id).equals("TEST"))
                        .mapToObj(IngestIT::selected)
                        .toList());
    }

    private static Map<String, @Nullable Object> selected(long id) {
        Map<String, @Nullable Object> all = Rides.row(id);
        Map<?, ?> payload = (Map<?, ?>) all.get("payload");
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.put("rider", Rides.riderOf(id));
        row.put(
                "riders_age",
                payload != null && payload.get("rider") instanceof Map<?, ?> rider ? rider.get("age") : null);
        row.put("stops", all.get("stops"));
        row.put("state", Rides.status(id));
        return row;
    }

    @Tag("faults")
    @Test
    void ingest_killedThreeTimes_everyEventIsThereOnce() throws Exception {
        Random random = new Random(Long.getLong("thalweg.seed", System.nanoTime()));
        // Enough events that three runs do not reach the end.
        long events = writeMuch(3 * KILLED_EVENTS);
        int resumed = 0;
        for (int kill = 0; kill < 3; kill++) {
            try (Subprocess process = ingest.start("--parallelism", 1 + kill % 2)) {
                int before = ParquetFolder.files(ingest.table()).size();
                awaitMoreFiles(process, before);
                Thread.sleep(random.nextInt(500)); // any moment
                assertThat(process.isAlive())
                        .as("killed before the end; write more events: %s", process.stderr())
                        .isTrue();
                process.signal(Subprocess.Signal.KILL);
                process.awaitExit(PATIENCE);
            }
            List<Long> ids = ParquetFolder.longs(ingest.table(), "id");
            assertThat(new HashSet<>(ids)).as("what readers see between runs").hasSameSizeAs(ids);
            resumed++;
        }
        assertThat(resumed).isEqualTo(3);
        ingest.hurry();

        try (Subprocess process = ingest.start()) {
            assertThat(process.awaitExit(PATIENCE))
                    .as(process.stderr().toString())
                    .isZero();
            assertOnce(IngestFolder.counts(process.stderr()), events);
        }
        assertThat(ingest.letters())
                .isNotEmpty()
                .allSatisfy(letter -> assertThat(letter.get("source").asText()).endsWith("0.in"));
    }

    /** Files of compact Thrift of different sizes; one message of the first file is broken. */
    private long writeMuch() throws IOException {
        return writeMuch(KILLED_EVENTS);
    }

    private long writeMuch(int scale) throws IOException {
        ingest.define(Format.THRIFT_COMPACT.source, ingest.slow());
        Encoder encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        long next = 0;
        for (int file = 0; file < KILLED_FILES; file++) {
            long end = next + scale * (file + 1L) / KILLED_FILES * 2;
            write(file + ".in", encoder, next, end);
            next = end;
        }
        Files.write(
                ingest.file("0.in"),
                Rides.framed(List.of(new byte[] {1, 2, 3})),
                java.nio.file.StandardOpenOption.APPEND);
        return next;
    }

    private void awaitMoreFiles(Subprocess process, int before) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (process.isAlive() && ParquetFolder.files(ingest.table()).size() <= before) {
            assertThat(System.nanoTime()).as(process.stderr().toString()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private void assertOnce(Map<String, Long> counts, long events) throws IOException {
        assertThat(counts)
                .containsEntry("events", events + 1)
                .containsEntry("bad", 1L)
                .containsEntry("written", events);
        List<Long> ids = ParquetFolder.longs(ingest.table(), "id");
        ids.sort(null);
        assertThat(ids).isEqualTo(LongStream.range(0, events).boxed().toList());
    }

    @Tag("faults")
    @Test
    void ingest_interrupted_exits130AndIsGoneOnWith() throws Exception {
        long events = writeMuch();
        try (Subprocess process = ingest.start()) {
            awaitMoreFiles(process, 0);
            process.signal(Subprocess.Signal.TERM);
            assertThat(process.awaitExit(PATIENCE))
                    .as(process.stderr().toString())
                    .isEqualTo(130);
            assertThat(process.stderr().toString()).contains("rides: interrupted; the same command goes on from here");
        }
        List<Long> before = ParquetFolder.longs(ingest.table(), "id");
        assertThat(before).doesNotHaveDuplicates().hasSizeLessThan((int) events);
        ingest.hurry();

        assertOnce(ingest.succeed("--parallelism", 2), events);
    }

    @Tag("faults")
    @Test
    void ingest_killedWhenOneSubtaskIsDone_theAccountBalances() throws Exception {
        ingest.define(Format.THRIFT_COMPACT.source, ingest.slow());
        Encoder encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        write("a.in", encoder, 0, 10);
        write("b.in", encoder, 10, KILLED_EVENTS * 15L);
        try (Subprocess process = ingest.start("--parallelism", 2)) {
            awaitMoreFiles(process, 3);
            process.signal(Subprocess.Signal.KILL);
            process.awaitExit(PATIENCE);
        }
        long seen = ParquetFolder.longs(ingest.table(), "id").size();
        assertThat(seen).isBetween(11L, KILLED_EVENTS * 15L - 1);
        ingest.hurry();

        Map<String, Long> counts = ingest.succeed("--parallelism", 2);

        assertThat(counts).containsEntry("events", KILLED_EVENTS * 15L);
        assertThat(ParquetFolder.longs(ingest.table(), "id"))
                .doesNotHaveDuplicates()
                .hasSize(KILLED_EVENTS * 15);
    }

    @Tag("faults")
    @Test
    void ingest_resumeNone_startsOver() throws Exception {
        long events = writeMuch();
        try (Subprocess process = ingest.start()) {
            awaitMoreFiles(process, 0);
            process.signal(Subprocess.Signal.KILL);
            process.awaitExit(PATIENCE);
        }
        long before = ParquetFolder.longs(ingest.table(), "id").size();
        assertThat(before).isPositive();
        ingest.hurry();

        assertThat(ingest.succeed("--resume", "none")).containsEntry("written", events);

        assertThat(ParquetFolder.longs(ingest.table(), "id")).hasSize((int) (before + events));
    }

    @Tag("faults")
    @Test
    void ingest_fileChangedSinceTheInterruption_startsOver() throws Exception {
        long events = writeMuch();
        try (Subprocess process = ingest.start()) {
            awaitMoreFiles(process, 0);
            process.signal(Subprocess.Signal.TERM);
            process.awaitExit(PATIENCE);
        }
        Files.setLastModifiedTime(ingest.file("3.in"), FileTime.fromMillis(1_700_000_000_000L));
        ingest.hurry();

        assertThat(ingest.succeed()).containsEntry("written", events);
    }
}
