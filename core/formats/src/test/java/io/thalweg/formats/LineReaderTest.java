package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.source.Source;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LineReaderTest {
    /** A stream that returns a few bytes at a time. */
    private static final class Trickle extends ByteArrayInputStream {
        private final Random random;

        Trickle(byte[] data, Random random) {
            super(data);
            this.random = random;
        }

        @Override
        public synchronized int read(byte[] into, int from, int length) {
            return super.read(into, from, Math.min(length, 1 + random.nextInt(random.nextBoolean() ? 3 : 100_000)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | ``",
                "a | a",
                "a~ | a",
                "a~~b | a;b",
                "a^~^~b^ | a;b",
                "~~ | ``",
                "a^b~ | a^b",
            })
    void next_lines_passesOverWhatIsEmpty(String text, String expected) throws IOException {
        byte[] data = text.replace('~', '\n').replace('^', '\r').getBytes(StandardCharsets.UTF_8);
        assertThat(String.join(";", lines(new ByteArrayInputStream(data), Source.Format.JSON)))
                .isEqualTo(expected.replace('^', '\r'));
    }

    @Test
    void next_byteOrderMark_isPassedOver() throws IOException {
        byte[] data = "\uFEFFa\n\uFEFFb".getBytes(StandardCharsets.UTF_8);
        assertThat(lines(new Trickle(data, new Random(1)), Source.Format.JSON)).containsExactly("a", "\uFEFFb");
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_randomLines_keepsEverySliceValid(long seed) throws IOException {
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            String line = String.valueOf((char) ('a' + random.nextInt(26)))
                    .repeat(random.nextInt(random.nextInt(50) == 0 ? 300_000 : 90));
            text.append(line).append(random.nextBoolean() ? "\n" : "\r\n");
            if (!line.isEmpty()) {
                expected.add(line);
            }
        }
        byte[] data = text.toString().getBytes(StandardCharsets.UTF_8);
        record Slice(byte[] bytes, int offset, int length) {}
        List<Slice> slices = new ArrayList<>();
        try (LineReader reader = LineReader.of(new Trickle(data, random), "test", Source.Format.JSON)) {
            while (reader.next()) {
                slices.add(new Slice(reader.bytes(), reader.offset(), reader.length()));
                assertThat(data[(int) reader.byteOffset()]).isEqualTo(reader.bytes()[reader.offset()]);
            }
        }
        assertThat(slices.stream().map(s -> new String(s.bytes(), s.offset(), s.length(), StandardCharsets.UTF_8)))
                .isEqualTo(expected);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_tooLarge_isCountedNotHeld(long seed) throws IOException {
        Random random = new Random(seed);
        int max = EventDecoder.MAX_RECORD_BYTES;
        for (int size : new int[] {max - 1, max, max + 1, max + 2, max + random.nextInt(3_000_000)}) {
            String end = random.nextBoolean() ? "\r\n" : "\n";
            byte[] data = ("first\n" + "x".repeat(size) + end + "last").getBytes(StandardCharsets.UTF_8);
            try (LineReader reader = LineReader.of(new Trickle(data, random), "test", Source.Format.JSON)) {
                assertThat(reader.next()).isTrue();
                assertThat(reader.next()).isTrue();
                assertThat(reader.totalLength()).isEqualTo(size);
                assertThat(reader.isTooLarge()).isEqualTo(size > max);
                assertThat(reader.length()).isEqualTo(size > max ? LineReader.KEPT_BYTES : size);
                assertThat(reader.next()).isTrue();
                assertThat(reader.lineNumber()).isEqualTo(3);
                assertThat(reader.byteOffset()).isEqualTo(data.length - 4);
                assertThat(reader.length()).isEqualTo(4);
                assertThat(reader.next()).isFalse();
            }
        }
    }

    @Test
    void next_csv_keepsLineEndsInsideQuotes() throws IOException {
        String text = "a,\"b\nc\",d\r\n\"\"\"\n\"\"\",x\n5\" pipe,y\nz";
        assertThat(lines(new Trickle(text.getBytes(StandardCharsets.UTF_8), new Random(3)), Source.Format.CSV))
                .containsExactly("a,\"b\nc\",d", "\"\"\"\n\"\"\",x", "5\" pipe,y", "z");
    }

    @Test
    void of_gzip_isRecognised() throws IOException {
        byte[] zipped = gzip("a\nb\n".repeat(10_000));
        assertThat(lines(new ByteArrayInputStream(zipped), Source.Format.JSON)).hasSize(20_000);
    }

    @Test
    void next_damagedGzip_namesTheInput() throws IOException {
        byte[] zipped = gzip("a\nb\n".repeat(10_000));
        for (int length : new int[] {2, 9, 20, zipped.length - 1}) {
            byte[] cut = Arrays.copyOf(zipped, length);
            assertThatThrownBy(() -> lines(new ByteArrayInputStream(cut), Source.Format.JSON))
                    .isInstanceOf(IOException.class)
                    .hasMessage("test: gzip data ends too early, the file is incomplete");
        }
        assertThatThrownBy(() -> LineReader.of(new ByteArrayInputStream(new byte[9]), "x.gz", Source.Format.JSON))
                .hasMessageContaining("x.gz: not in gzip format");
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }

    private static List<String> lines(InputStream in, Source.Format format) throws IOException {
        List<String> lines = new ArrayList<>();
        try (LineReader reader = LineReader.of(in, "test", format)) {
            while (reader.next()) {
                lines.add(new String(reader.bytes(), reader.offset(), reader.length(), StandardCharsets.UTF_8));
            }
        }
        return lines;
    }
}
