package io.thalweg.records.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.envelope.Envelope.Compression;
import io.thalweg.records.envelope.Envelope.Messages;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.SnappyFramedOutputStream;

/** Compares the framing format with that of {@code snappy-java}; the raw format is that library's own. */
class SnappyBytesTest {
    private static final Limits LIMITS = new Limits(1 << 20, 1 << 20, 1_000, 64);

    private static byte[] inflated(byte[] record) {
        EnvelopeOpener opener = new EnvelopeOpener(new Envelope(Compression.SNAPPY, Messages.ONE), LIMITS);
        opener.open(record, 0, record.length);
        assertThat(opener.next()).isTrue();
        return Arrays.copyOfRange(opener.data(), opener.from(), opener.to());
    }

    private static byte[] framed(byte[] data) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SnappyFramedOutputStream frames = new SnappyFramedOutputStream(out)) {
            frames.write(data);
        }
        return out.toByteArray();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void inflate_frames_areTheBytesOrUndecodableIfTheyAreDamaged(long seed) throws IOException {
        Random random = new Random(seed);
        byte[] data = new byte[random.nextInt(random.nextBoolean() ? 100 : 200_000)];
        random.nextBytes(data);
        Arrays.fill(data, 0, data.length / 2, (byte) 7);
        byte[] record = framed(data);
        assertThat(inflated(record)).isEqualTo(data);
        for (int i = 0; i < 20 && record.length > 10; i++) {
            byte[] damaged = Arrays.copyOf(
                    record, random.nextInt(4) == 0 ? 11 + random.nextInt(record.length - 10) : record.length);
            damaged[10 + random.nextInt(damaged.length - 10)] ^= (byte) (1 << random.nextInt(8));
            try {
                assertThat(inflated(damaged))
                        .as("a chunk that may be skipped has become of one that has bytes")
                        .isNotNull();
            } catch (BadRecordException e) {
                assertThat(e.fault()).isEqualTo(RecordFault.UNDECODABLE);
            }
        }
    }
}
