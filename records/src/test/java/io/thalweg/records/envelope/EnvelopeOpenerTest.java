package io.thalweg.records.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.envelope.Envelope.Compression;
import io.thalweg.records.envelope.Envelope.Messages;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.Snappy;

class EnvelopeOpenerTest {
    private static final Limits LIMITS = new Limits(1 << 16, 1 << 20, 100, 64);

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_anyMessagesInAnyEnvelope_findsEachInOrder(long seed) throws IOException {
        Random random = new Random(seed);
        Compression compression = pick(Compression.values(), random);
        Messages messages = pick(Messages.values(), random);
        List<byte[]> written = new ArrayList<>();
        int count = messages == Messages.ONE ? 1 : 1 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            byte[] message = new byte[1 + random.nextInt(500)];
            random.nextBytes(message);
            if (messages == Messages.LINES) {
                for (int b = 0; b < message.length; b++) {
                    message[b] = (byte) ('a' + (message[b] & 15));
                }
            }
            written.add(message);
        }
        byte[] record = compressed(compression, packed(messages, written, random));
        byte[] within = new byte[record.length + 20];
        System.arraycopy(record, 0, within, 7, record.length);

        EnvelopeOpener opener = new EnvelopeOpener(new Envelope(compression, messages), LIMITS);
        opener.open(within, 7, 7 + record.length);
        for (byte[] message : written) {
            assertThat(opener.next()).isTrue();
            assertThat(Arrays.copyOfRange(opener.data(), opener.from(), opener.to()))
                    .isEqualTo(message);
        }
        assertThat(opener.next()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = Compression.class,
            names = {"NONE"},
            mode = EnumSource.Mode.EXCLUDE)
    void open_cutAtAnyByteOrDamaged_isUndecodableAndNeverAnotherError(Compression compression) throws IOException {
        byte[] message = new byte[3_000];
        new Random(1).nextBytes(message);
        byte[] record = compressed(compression, message);
        EnvelopeOpener opener = new EnvelopeOpener(new Envelope(compression, Messages.ONE), LIMITS);
        for (int length = 1; length < record.length; length += 7) {
            byte[] cut = Arrays.copyOf(record, length);
            assertThatThrownBy(() -> opener.open(cut, 0, cut.length))
                    .isInstanceOf(BadRecordException.class)
                    .extracting(e -> ((BadRecordException) e).fault())
                    .isEqualTo(RecordFault.UNDECODABLE);
            assertThat(opener.next()).isFalse();
        }
        Random random = new Random(2);
        for (int i = 0; i < 2_000; i++) {
            byte[] damaged = record.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                opener.open(damaged, 0, damaged.length);
            } catch (BadRecordException e) {
                assertThat(e.fault()).isIn(RecordFault.UNDECODABLE, RecordFault.INFLATED_TOO_LARGE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Compression.class,
            names = {"NONE"},
            mode = EnumSource.Mode.EXCLUDE)
    void open_bomb_isRefusedBeforeItIsInflated(Compression compression) throws IOException {
        byte[] record = compressed(compression, new byte[200 << 20]);
        EnvelopeOpener opener = new EnvelopeOpener(new Envelope(compression, Messages.ONE), LIMITS);
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(() -> opener.open(record, 0, record.length))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("limits.inflated")
                .extracting(e -> ((BadRecordException) e).fault())
                .isEqualTo(RecordFault.INFLATED_TOO_LARGE);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(16 << 20);
    }

    @Test
    void next_damagedFrame_isTheRestAndTheLast() {
        byte[] record = ByteBuffer.allocate(14)
                .putInt(2)
                .put(new byte[] {'o', 'k'})
                .putInt(1_000)
                .put(new byte[] {1, 2, 3, 4})
                .array();
        EnvelopeOpener opener = new EnvelopeOpener(new Envelope(Compression.NONE, Messages.LENGTH_PREFIXED), LIMITS);
        opener.open(record, 0, record.length);
        assertThat(opener.next()).isTrue();
        assertThatThrownBy(opener::next)
                .isInstanceOf(BadRecordException.class)
                .hasMessage("a message claims 1000 bytes, but 4 are left in the record");
        assertThat(opener.from()).isEqualTo(6);
        assertThat(opener.to()).isEqualTo(14);
        assertThat(opener.next()).isFalse();
    }

    @Test
    void open_emptyRecord_isEmpty() {
        EnvelopeOpener opener = new EnvelopeOpener(Envelope.NONE, LIMITS);
        assertThatThrownBy(() -> opener.open(new byte[3], 2, 2))
                .isInstanceOf(BadRecordException.class)
                .extracting(e -> ((BadRecordException) e).fault())
                .isEqualTo(RecordFault.EMPTY);
    }

    private static <T> T pick(T[] among, Random random) {
        return Arrays.asList(among).get(random.nextInt(among.length));
    }

    private static byte[] packed(Messages messages, List<byte[]> written, Random random) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] message : written) {
            switch (messages) {
                case ONE -> out.write(message);
                case LENGTH_PREFIXED -> {
                    out.write(ByteBuffer.allocate(4).putInt(message.length).array());
                    out.write(message);
                }
                case LINES -> {
                    out.write(message);
                    out.write((random.nextBoolean() ? "\r\n" : "\n\n").getBytes(StandardCharsets.US_ASCII));
                }
            }
        }
        return out.toByteArray();
    }

    private static byte[] compressed(Compression compression, byte[] data) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        switch (compression) {
            case NONE -> out.write(data);
            case SNAPPY -> out.write(Snappy.compress(data));
            case ZSTD -> out.write(Zstd.compress(data));
            case GZIP, ZLIB -> {
                try (OutputStream stream =
                        compression == Compression.GZIP ? new GZIPOutputStream(out) : new DeflaterOutputStream(out)) {
                    stream.write(data);
                }
            }
        }
        return out.toByteArray();
    }
}
