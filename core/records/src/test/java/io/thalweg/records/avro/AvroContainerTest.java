package io.thalweg.records.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AvroContainerTest {
    private static final int ROWS = 100;
    private static final String SCHEMA =
            "{\"type\": \"record\", \"name\": \"R\", \"fields\": [{\"name\": \"v\", \"type\": \"string\"}]}";

    private static final byte[] SYNC = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");

    private static byte[] file(Schema schema, String codec, List<?> rows) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.setCodec(CodecFactory.fromString(codec)).setSyncInterval(500).create(schema, out);
            for (Object row : rows) {
                writer.append(row);
            }
        }
        return out.toByteArray();
    }

    private static List<Map<String, @Nullable Object>> read(byte[] file, Limits limits) throws IOException {
        // A stream may return fewer bytes than are available.
        try (AvroContainer container = new AvroContainer(new TrickleInputStream(file), limits)) {
            Translation translation = Translation.of(
                    container.schema().struct(),
                    RandomSelections.all(container.schema().struct()));
            AvroReader reader = container.schema().reader(translation, limits);
            NaiveRows rows = new NaiveRows(translation.target());
            List<Map<String, @Nullable Object>> read = new ArrayList<>();
            while (container.next()) {
                int at = container.from();
                for (long i = 0; i < container.count(); i++) {
                    at = reader.readOne(container.data(), at, container.to(), rows);
                    read.add(rows.take());
                }
                if (at != container.to()) {
                    throw new IOException("the block has more bytes than its records");
                }
            }
            return read;
        }
    }

    /** Returns a few bytes at a time. */
    private static final class TrickleInputStream extends ByteArrayInputStream {
        private int turn;

        TrickleInputStream(byte[] bytes) {
            super(bytes);
        }

        @Override
        public synchronized int read(byte[] into, int from, int length) {
            return super.read(into, from, Math.min(length, 1 + turn++ % 100));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate", "snappy", "zstandard"})
    void next_fileOfLibrary_hasItsRows(String codec) throws IOException {
        Random random = new Random(codec.hashCode());
        RandomAvro avro = new RandomAvro(random);
        Schema schema = avro.record();
        Selection all = RandomSelections.all(AvroSchema.parse(schema.toString()).struct());
        List<Object> rows = new ArrayList<>();
        List<Map<String, @Nullable Object>> expected = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            byte[] message = avro.write(schema, avro.value(schema));
            Object row = RandomAvro.read(schema, schema, message);
            rows.add(row);
            expected.add(RandomSelections.expected(NaiveAvro.row(schema, row), all));
        }
        assertThat(read(file(schema, codec, rows), Limits.DEFAULT)).isEqualTo(expected);
    }

    @Test
    void next_noBlocks_isFalse() throws IOException {
        byte[] file = file(new Schema.Parser().parse(SCHEMA), "deflate", List.of());
        AvroContainer container = new AvroContainer(file, 0, file.length, Limits.DEFAULT);
        assertThat(container.next()).isFalse();
        assertThat(container.next()).isFalse();
    }

    private static AvroBytes header(String codec) {
        return new AvroBytes()
                .raw('O', 'b', 'j', 1)
                .number(2)
                .text("avro.schema")
                .text(SCHEMA)
                .text("avro.codec")
                .text(codec)
                .number(0)
                .raw(SYNC);
    }

    private static void assertDamaged(AvroBytes file, String problem) {
        assertThatThrownBy(() -> read(file.toBytes(), Limits.DEFAULT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void constructor_headerInSeveralBlocksWithSizes_isRead() throws IOException {
        AvroBytes file = new AvroBytes()
                .raw('O', 'b', 'j', 1)
                .number(-1)
                .number(999)
                .text("avro.schema")
                .text(SCHEMA)
                .number(1)
                .text("user")
                .text("x")
                .number(0)
                .raw(SYNC)
                .number(1)
                .number(2)
                .text("a")
                .raw(SYNC);
        assertThat(read(file.toBytes(), Limits.DEFAULT)).isEqualTo(List.of(Map.of("v", "a")));
    }

    @Test
    void constructor_notAContainer_isRefused() {
        assertDamaged(new AvroBytes().raw('P', 'A', 'R', '1').raw(new byte[50]), "must start with 'Obj'");
        assertDamaged(new AvroBytes().raw('O', 'b', 'j', 1).number(0).raw(SYNC), "avro.schema");
        assertDamaged(new AvroBytes(), "ends 4 bytes too early");
    }

    @Test
    void constructor_codecThatIsNotSupported_namesThoseThatAre() {
        assertDamaged(header("bzip2"), "codec 'bzip2', which is not supported; rewrite it with null, deflate");
    }

    @Test
    void constructor_headerBeyondLimit_isTooLarge() {
        AvroBytes file = new AvroBytes()
                .raw('O', 'b', 'j', 1)
                .number(1)
                .text("avro.schema")
                .number(2_000_000_000);
        assertThatThrownBy(() -> read(file.toBytes(), Limits.DEFAULT)).isInstanceOf(BadRecordException.class);
        AvroBytes negative = new AvroBytes().raw('O', 'b', 'j', 1).number(1).number(-5);
        assertDamaged(negative, "at byte 5");
    }

    @Test
    void next_otherSyncMarker_namesItsOffset() {
        AvroBytes file = header("null");
        int start = file.toBytes().length;
        assertDamaged(file.number(1).number(2).text("a").raw(new byte[16]), "at byte " + (start + 4));
    }

    @Test
    void next_countThatTheBlockCannotHold_isDamaged() {
        Map<Long, String> counts = Map.of(
                -1L,
                "must be at least 0, was negative",
                0L,
                "cannot hold 0 rec",
                3L,
                "cannot hold 3 rec",
                Long.MAX_VALUE,
                "cannot hold more than 2147483647 rec",
                Long.MIN_VALUE,
                "must be at least 0, was negative");
        counts.forEach((count, message) ->
                assertDamaged(header("null").number(count).number(2).text("a").raw(SYNC), message));
    }

    @Test
    void next_sizeBeyondFile_isDamaged() {
        assertDamaged(header("null").number(1).number(1 << 23).text("a"), "too early");
        assertDamaged(header("null").number(1).number(-1).text("a"), "must be at least 0, was negative");
        assertThatThrownBy(() -> read(header("null").number(1).number(1L << 40).toBytes(), Limits.DEFAULT))
                .isInstanceOfSatisfying(
                        BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(RecordFault.INFLATED_TOO_LARGE));
    }

    @Test
    void next_snappyBlockWithOtherChecksum_isDamaged() {
        assertDamaged(
                header("snappy")
                        .number(1)
                        .number(8)
                        .raw(2, 4, 2, 'a', 1, 2, 3, 4)
                        .raw(SYNC),
                "checksum");
        assertDamaged(header("snappy").number(1).number(3).raw(0, 0, 0).raw(SYNC), "cut off");
        AvroBytes huge = header("snappy").number(1).number(9).raw(0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2, 3, 4);
        assertDamaged(huge.raw(SYNC), "cannot hold more than 2147483647");
        AvroBytes large = header("snappy").number(1).number(9).raw(0x80, 0x80, 0x80, 0x04, 0, 1, 2, 3, 4);
        assertDamaged(large.raw(SYNC), "cannot hold 8388608");
    }

    @ParameterizedTest
    @ValueSource(strings = {"deflate", "snappy", "zstandard"})
    void next_blockOfZeros_isBoundedByRatioAndSize(String codec) throws IOException {
        Schema schema = new Schema.Parser().parse(SCHEMA);
        GenericData.Record row = new GenericData.Record(schema);
        row.put("v", "\0".repeat(100_000));
        List<Object> rows = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            rows.add(row);
        }
        byte[] file = file(schema, codec, rows);
        assertThat(read(file, new Limits(1, 200_000, 10_000, 5))).hasSize(50);
        // Ten at most, since the ratio is far above one; the first block alone is as large as the limit.
        for (Limits limits : List.of(new Limits(1, 1_000_000, 1, 5), new Limits(1, 99_999, 10_000, 5))) {
            assertThatThrownBy(() -> read(file, limits))
                    .isInstanceOfSatisfying(
                            BadRecordException.class,
                            e -> assertThat(e.fault()).isEqualTo(RecordFault.INFLATED_TOO_LARGE));
        }
    }

    @Test
    void next_deflateWithBytesAfterTheEnd_isRead() throws IOException {
        byte[] stored = {1, 2, 0, (byte) 0xFD, (byte) 0xFF, 2, 'a', 9, 9, 9};
        byte[] file = header("deflate")
                .number(1)
                .number(stored.length)
                .raw(stored)
                .raw(SYNC)
                .toBytes();
        assertThat(read(file, Limits.DEFAULT)).isEqualTo(List.of(Map.of("v", "a")));
        assertDamaged(header("deflate").number(1).number(4).raw(1, 2, 0, 0xFD).raw(SYNC), "cut off");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate", "snappy", "zstandard"})
    void next_damagedFile_failsAsDocumented(String codec) throws IOException {
        Random random = new Random(7);
        RandomAvro avro = new RandomAvro(random);
        Schema schema = avro.record();
        List<Object> rows = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            rows.add(RandomAvro.read(schema, schema, avro.write(schema, avro.value(schema))));
        }
        byte[] file = file(schema, codec, rows);
        int header = new String(file, StandardCharsets.ISO_8859_1).indexOf("\0", 20);
        for (int i = 0; i < 400; i++) {
            boolean isCut = i % 2 == 0;
            byte[] damaged = isCut ? Arrays.copyOf(file, random.nextInt(file.length)) : file.clone();
            if (!isCut || random.nextBoolean()) {
                int at = header + random.nextInt(file.length - header);
                if (at < damaged.length) {
                    damaged[at] ^= (byte) (1 << random.nextInt(8));
                }
            }
            try {
                read(damaged, Limits.DEFAULT);
            } catch (IOException | BadRecordException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
    }
}
