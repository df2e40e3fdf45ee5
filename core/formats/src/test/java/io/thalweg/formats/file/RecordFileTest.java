package io.thalweg.formats.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.records.Limits;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecordFileTest {
    private static final int LARGEST = 50_000;
    private static final Limits LIMITS = new Limits(LARGEST, 16 << 20, 100, 64);
    private static final Schema AVRO = new Schema.Parser().parse("""
            {"type": "record", "name": "Line", "fields": [{"name": "text", "type": "bytes"}]}""");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** A record as read: its first bytes, its true length, its position, and whether it is damaged. */
    private record Read(String bytes, long total, long position, boolean damaged) {}

    private static List<Read> reads(RawBlock block) {
        List<Read> reads = new ArrayList<>();
        for (int i = 0; i < block.size(); i++) {
            String bytes = new String(block.data(i), block.from(i), block.to(i) - block.from(i), UTF_8);
            reads.add(new Read(bytes, block.total(i), block.position(i), block.damage(i) != null));
        }
        return reads;
    }

    @ParameterizedTest
    @EnumSource
    void read_fileOfNoBytes_hasNoRecords(Framing framing) throws IOException {
        Path file = Files.createFile(folder.resolve("nothing"));

        assertThat(readAll(file, framing)).isEmpty();
        assertThat(RecordFile.isEmpty(file, framing)).isTrue();
        assertThat(RecordFile.isEmpty(Files.write(file, new byte[] {0, 0, 0, 1, 1}), framing))
                .isFalse();
    }

    @Test
    void isEmpty_filesWithoutRecords_areEmpty() throws IOException {
        Path container = folder.resolve("a.avro");
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(AVRO))
                .create(AVRO, container.toFile())
                .close();
        Path lines = Files.writeString(folder.resolve("a.jsonl"), "\n\n");
        Path compressed = Files.createFile(folder.resolve("a.jsonl.gz"));

        assertThat(RecordFile.isEmpty(container, Framing.AVRO_CONTAINER)).isTrue();
        assertThat(RecordFile.isEmpty(lines, Framing.LINES)).isTrue();
        assertThat(RecordFile.isEmpty(compressed, Framing.LINES)).isTrue();
    }

    /** Reads to the end without stopping. */
    private static List<Read> readAll(Path file, Framing framing) throws IOException {
        List<Read> reads = new ArrayList<>();
        try (RecordFile records = RecordFile.open(file, framing, 0, LIMITS)) {
            for (RawBlock block = records.read(); block != null; block = records.read()) {
                reads.addAll(reads(block));
            }
        }
        return reads;
    }

    /** Closes the file after each block and reopens it at the same position. */
    private static List<Read> readStopping(Path file, Framing framing) throws IOException {
        List<Read> reads = new ArrayList<>();
        long position = 0;
        while (true) {
            try (RecordFile records = RecordFile.open(file, framing, position, LIMITS)) {
                RawBlock block = records.read();
                if (block == null) {
                    return reads;
                }
                reads.addAll(reads(block));
                position = records.next();
            }
        }
    }

    private static List<byte[]> records(Random random) {
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] record = new byte[1 + random.nextInt(random.nextInt(20) == 0 ? 2 * LARGEST : 5_000)];
            Arrays.fill(record, (byte) ('a' + i % 26));
            records.add(record);
        }
        return records;
    }

    private Path framed(List<byte[]> records) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (byte[] record : records) {
            out.writeInt(record.length);
            out.write(record);
        }
        return Files.write(folder.resolve("records.bin"), bytes.toByteArray());
    }

    private Path lines(String name, List<byte[]> records) throws IOException {
        Path file = folder.resolve(name);
        try (OutputStream plain = Files.newOutputStream(file);
                OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(plain) : plain) {
            for (byte[] record : records) {
                out.write(record);
                out.write('\n');
            }
        }
        return file;
    }

    private Path container(List<byte[]> records) throws IOException {
        Path file = folder.resolve("records.avro");
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(AVRO))) {
            writer.setCodec(CodecFactory.deflateCodec(1)).setSyncInterval(4_096).create(AVRO, file.toFile());
            for (byte[] record : records) {
                GenericRecord line = new GenericData.Record(AVRO);
                line.put("text", java.nio.ByteBuffer.wrap(record));
                writer.append(line);
            }
        }
        return file;
    }

    /** Asserts that each record was read with its true length and at most {@code kept} of its bytes. */
    private static void assertRead(List<Read> reads, List<byte[]> records, int kept) {
        assertThat(reads).hasSameSizeAs(records);
        for (int i = 0; i < reads.size(); i++) {
            byte[] record = records.get(i);
            assertThat(reads.get(i).total()).isEqualTo(record.length);
            assertThat(reads.get(i).damaged()).isFalse();
            int length = record.length > LARGEST ? Math.min(record.length, kept) : record.length;
            assertThat(reads.get(i).bytes()).isEqualTo(new String(record, 0, length, UTF_8));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_framed_allRecordsWhateverTheStops(long seed) throws IOException {
        List<byte[]> records = records(new Random(seed));
        Path file = framed(records);

        List<Read> reads = readAll(file, Framing.LENGTH_PREFIXED);

        assertRead(reads, records, RecordFile.KEPT_BYTES);
        assertThat(readStopping(file, Framing.LENGTH_PREFIXED)).isEqualTo(reads);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_lines_allRecordsWhateverTheStops(long seed) throws IOException {
        List<byte[]> records = records(new Random(seed));
        Path file = lines("records.jsonl", records);

        List<Read> reads = readAll(file, Framing.LINES);

        assertRead(reads, records, LARGEST);
        assertThat(reads).extracting(Read::position).startsWith(1L, 2L, 3L);
        assertThat(readStopping(file, Framing.LINES)).isEqualTo(reads);
        Path gzipped = lines("records.jsonl.gz", records);
        assertThat(readAll(gzipped, Framing.LINES)).isEqualTo(reads);
        assertThat(readStopping(gzipped, Framing.LINES)).isEqualTo(reads);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_container_allBlocksWhateverTheStops(long seed) throws IOException {
        List<byte[]> records = records(new Random(seed));
        Path file = container(records);
        long objects = 0;
        try (RecordFile blocks = RecordFile.open(file, Framing.AVRO_CONTAINER, 0, LIMITS)) {
            for (RawBlock block = blocks.read(); block != null; block = blocks.read()) {
                assertThat(block.writerSchema()).isNotNull();
                objects += block.objects(0);
            }
        }

        assertThat(objects).isEqualTo(records.size());
        List<Read> reads = readAll(file, Framing.AVRO_CONTAINER);
        assertThat(reads).hasSizeGreaterThan(5).noneMatch(Read::damaged);
        assertThat(readStopping(file, Framing.AVRO_CONTAINER)).isEqualTo(reads);
    }

    @ParameterizedTest
    @EnumSource(value = Framing.class, names = "AVRO_CONTAINER", mode = EnumSource.Mode.EXCLUDE)
    void read_emptyFile_hasNoRecords(Framing framing) throws IOException {
        assertThat(readAll(Files.write(folder.resolve("empty"), new byte[0]), framing))
                .isEmpty();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_framedAndCut_theRestIsOneDamagedRecord(long seed) throws IOException {
        Random random = new Random(seed);
        List<byte[]> records = records(random);
        byte[] whole = Files.readAllBytes(framed(records));
        int cut = 1 + random.nextInt(whole.length - 1);
        Path file = Files.write(folder.resolve("cut.bin"), Arrays.copyOf(whole, cut));

        List<Read> reads = readAll(file, Framing.LENGTH_PREFIXED);

        long good = reads.stream().filter(read -> !read.damaged()).count();
        long end = 0;
        for (int i = 0; i < good; i++) {
            end += 4 + records.get(i).length;
        }
        assertThat(reads.stream().filter(Read::damaged).map(read -> read.position() + read.total()))
                .as("good records end at " + end)
                .isEqualTo(end == cut ? List.of() : List.of((long) cut))
                .hasSizeLessThanOrEqualTo(1);
        assertThat(end).isLessThanOrEqualTo(cut);
        assertThat(readStopping(file, Framing.LENGTH_PREFIXED)).isEqualTo(reads);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_containerCut_whatComesBeforeAndOneDamagedRecord(long seed) throws IOException {
        Random random = new Random(seed);
        Path whole = container(records(random));
        List<Read> blocks = readAll(whole, Framing.AVRO_CONTAINER);
        byte[] bytes = Files.readAllBytes(whole);
        Path file = Files.write(folder.resolve("cut.avro"), Arrays.copyOf(bytes, random.nextInt(bytes.length)));

        List<Read> reads = readAll(file, Framing.AVRO_CONTAINER);

        long good = reads.stream().filter(read -> !read.damaged()).count();
        assertThat(reads.subList(0, (int) good)).isEqualTo(blocks.subList(0, (int) good));
        assertThat(reads).hasSizeBetween((int) good, (int) good + 1);
        assertThat(readStopping(file, Framing.AVRO_CONTAINER)).isEqualTo(reads);
    }

    @Test
    void open_fileThatIsGone_namesIt() {
        Path gone = folder.resolve("gone.bin");

        assertThatThrownBy(() -> RecordFile.open(gone, Framing.LENGTH_PREFIXED, 0, LIMITS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gone.bin");
    }
}
