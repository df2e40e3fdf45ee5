package io.thalweg.records.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.envelope.Envelope.Compression;
import io.thalweg.records.envelope.Envelope.Messages;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares with {@code lz4-java}, which writes only independent blocks, and with a naive writer of blocks that refer to earlier
 * ones.
 */
class Lz4FramesTest {
    private static final Limits LIMITS = new Limits(1 << 20, 1 << 22, 1_000, 64);

    /** Output of {@code lz4 -9 -B4 -BD -BX --content-size}: 165,000 bytes in three linked blocks, with all checksums. */
    private static final String OF_THE_COMMAND =
            "BCJNGFxAiIQCAAAAAAAeeQEAAP9fMCwxLDIsMyw0LDUsNiw3LDgsOSwxMCwxMSwxMiwxMywxNCwxNSwxNiwxNywxOCwxOSwy"
                    + "MCwyMSwyMiwyMywyNCwyNSwyNiwyNywyOCwyOSwzMCwzMSwzMiwzMywzNCwzNSwzNiwzNywzOCwzOSxuAP//////////////"
                    + "////////////////////////////////////////////////////////////////////////////////////////////////"
                    + "////////////////////////////////////////////////////////////////////////////////////////////////"
                    + "////////////////////////////////////////////////////////////////////////////////////////////////"
                    + "//////////////////////////////////////96UDAsMzEsdtmAXwoBAAAPbgD/////////////////////////////////"
                    + "////////////////////////////////////////////////////////////////////////////////////////////////"
                    + "////////////////////////////////////////////////////////////////////////////////////////////////"
                    + "////////////////////////////////////////////////////////////////////////////////////////////////"
                    + "////////////////////6FAyLDIzLD0EzE6OAAAAD24A////////////////////////////////////////////////////"
                    + "////////////////////////////////////////////////////////////////////////////////////////////////"
                    + "////////////////////////////9FA4LDM5LIIktNUAAAAAKCZIgw==";

    private static byte[] inflated(byte[] record) {
        EnvelopeOpener opener = new EnvelopeOpener(new Envelope(Compression.LZ4, Messages.ONE), LIMITS);
        opener.open(record, 0, record.length);
        assertThat(opener.next()).isTrue();
        return Arrays.copyOfRange(opener.data(), opener.from(), opener.to());
    }

    /** Bytes with many repetitions, of any distance. */
    private static byte[] repetitive(int length, Random random) {
        byte[] data = new byte[length];
        int at = 0;
        while (at < length) {
            int count = Math.min(length - at, 1 + random.nextInt(60));
            int back = at == 0 ? 0 : random.nextInt(Math.min(at, 70_000) + 1);
            for (int i = 0; i < count; i++) {
                data[at + i] = back == 0 ? (byte) random.nextInt() : data[at + i - back];
            }
            at += count;
        }
        return data;
    }

    private static byte[] byLibrary(byte[] data, Random random) throws IOException {
        List<FLG.Bits> flags = new ArrayList<>(List.of(FLG.Bits.BLOCK_INDEPENDENCE));
        for (FLG.Bits flag : List.of(FLG.Bits.BLOCK_CHECKSUM, FLG.Bits.CONTENT_CHECKSUM, FLG.Bits.CONTENT_SIZE)) {
            if (random.nextBoolean()) {
                flags.add(flag);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BLOCKSIZE size = List.of(BLOCKSIZE.values()).get(random.nextInt(4));
        try (LZ4FrameOutputStream frames = flags.contains(FLG.Bits.CONTENT_SIZE)
                ? new LZ4FrameOutputStream(out, size, data.length, flags.toArray(FLG.Bits[]::new))
                : new LZ4FrameOutputStream(out, size, flags.toArray(FLG.Bits[]::new))) {
            frames.write(data);
        }
        return out.toByteArray();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void inflate_whatTheLibraryWrites_isTheSame(long seed) throws IOException {
        Random random = new Random(seed);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = random.nextInt(3); i >= 0; i--) {
            byte[] data = repetitive(random.nextInt(random.nextBoolean() ? 300 : 200_000), random);
            expected.writeBytes(data);
            frames.writeBytes(byLibrary(data, random));
        }
        assertThat(inflated(frames.toByteArray())).isEqualTo(expected.toByteArray());
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void inflate_damagedOrCut_isAsTheLibraryReadsItOrBad(long seed) throws IOException {
        Random random = new Random(seed);
        byte[] frame = byLibrary(repetitive(1 + random.nextInt(500), random), random);
        for (int i = 0; i < 50; i++) {
            byte[] damaged =
                    Arrays.copyOf(frame, random.nextInt(4) == 0 ? 1 + random.nextInt(frame.length) : frame.length);
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            byte[] read = null;
            try {
                read = inflated(damaged);
            } catch (BadRecordException e) {
                assertThat(e.fault()).isIn(RecordFault.UNDECODABLE, RecordFault.INFLATED_TOO_LARGE);
            }
            byte[] byLibrary = null;
            try (LZ4FrameInputStream in = new LZ4FrameInputStream(new ByteArrayInputStream(damaged))) {
                byLibrary = in.readAllBytes();
            } catch (IOException | RuntimeException e) {
                // The library cannot read blocks that refer to earlier ones; this decoder can.
            }
            if (read != null && byLibrary != null) {
                assertThat(read).isEqualTo(byLibrary);
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void inflate_blocksThatReferToEarlierOnes_areReadFromThem(long seed) {
        Random random = new Random(seed);
        NaiveFrame frame = new NaiveFrame(random);
        assertThat(inflated(frame.bytes())).isEqualTo(frame.content.toByteArray());
    }

    @Test
    void inflate_whatTheCommandWrites_isTheSame() {
        String expected = IntStream.range(0, 60_000).mapToObj(i -> i % 40 + ",").collect(Collectors.joining());
        assertThat(inflated(Base64.getDecoder().decode(OF_THE_COMMAND)))
                .isEqualTo(expected.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void inflate_sizeThatIsClaimed_isCheckedBeforeThereIsRoom() {
        byte[] header = {0x68, 0x70, -1, -1, -1, 0x7F, 0, 0, 0, 0};
        byte[] record = ByteBuffer.allocate(15)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0x184D2204)
                .put(header)
                .put((byte) (hash(header) >>> 8))
                .array();
        assertThatThrownBy(() -> inflated(record))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("was at least 2147483647")
                .extracting(e -> ((BadRecordException) e).fault())
                .isEqualTo(RecordFault.INFLATED_TOO_LARGE);
    }

    private static int hash(byte[] data) {
        return XXHashFactory.fastestInstance().hash32().hash(data, 0, data.length, 0);
    }

    /** A frame of linked blocks of 64 KiB with random sequences. */
    private static final class NaiveFrame {
        private final Random random;
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private final ByteArrayOutputStream frame = new ByteArrayOutputStream();

        NaiveFrame(Random random) {
            this.random = random;
            byte[] header = {0x44, 0x40};
            writeInt(0x184D2204);
            frame.writeBytes(header);
            frame.write(hash(header) >>> 8);
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                byte[] block = block();
                writeInt(block.length);
                frame.writeBytes(block);
            }
            writeInt(0);
            writeInt(hash(content.toByteArray()));
        }

        byte[] bytes() {
            return frame.toByteArray();
        }

        private void writeInt(int value) {
            frame.writeBytes(ByteBuffer.allocate(4)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(value)
                    .array());
        }

        private byte[] block() {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            for (int i = random.nextInt(20); i > 0; i--) {
                byte[] literals = new byte[1 + random.nextInt(random.nextBoolean() ? 5 : 600)];
                random.nextBytes(literals);
                content.writeBytes(literals);
                int match = 4 + random.nextInt(random.nextBoolean() ? 20 : 600);
                writeToken(block, literals.length, match - 4);
                writeMore(block, literals.length);
                block.writeBytes(literals);
                int back = 1 + random.nextInt(Math.min(content.size(), 65_535));
                block.write(back);
                block.write(back >>> 8);
                writeMore(block, match - 4);
                repeat(back, match);
            }
            byte[] last = new byte[random.nextInt(40)];
            random.nextBytes(last);
            content.writeBytes(last);
            writeToken(block, last.length, 0);
            writeMore(block, last.length);
            block.writeBytes(last);
            return block.toByteArray();
        }

        private void repeat(int back, int count) {
            byte[] all = Arrays.copyOf(content.toByteArray(), content.size() + count);
            for (int i = content.size(); i < all.length; i++) {
                all[i] = all[i - back];
            }
            content.write(all, content.size(), count);
        }

        private static void writeToken(ByteArrayOutputStream out, int literals, int match) {
            out.write(Math.min(literals, 15) << 4 | Math.min(match, 15));
        }

        private static void writeMore(ByteArrayOutputStream out, int length) {
            if (length >= 15) {
                int left = length - 15;
                for (; left >= 255; left -= 255) {
                    out.write(255);
                }
                out.write(left);
            }
        }
    }
}
