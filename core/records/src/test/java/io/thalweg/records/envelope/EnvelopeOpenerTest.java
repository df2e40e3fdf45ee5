package io.thalweg.records.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.avro.AvroSchema;
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
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.Snappy;

class EnvelopeOpenerTest {
    private static final Limits LIMITS = new Limits(1 << 16, 1 << 20, 100, 64);
    private static final Messages[] PACKED_HERE = {Messages.ONE, Messages.LENGTH_PREFIXED, Messages.LINES};
    private static final AvroSchema CONTAINER = AvroSchema.parse(
            "{\"type\": \"record\", \"name\": \"R\", \"fields\": [{\"name\": \"a\", \"type\": \"long\"}]}");

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_anyMessagesInAnyEnvelope_findsEachInOrder(long seed) throws IOException {
        Random random = new Random(seed);
        Compression compression = pick(Compression.values(), random);
        Messages messages = pick(PACKED_HERE, random);
        List<byte[]> written = new ArrayList<>();
        int count = messages == Messages.ONE ? 1 : 1 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            written.add(message(messages, random));
        }
        byte[] record = compressed(compression, packed(messages, written, random));
        assertFound(written, record, new Envelope(compression, messages));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_whatTheSealerPacks_findsEachInOrder(long seed) {
        Random random = new Random(seed);
        Envelope envelope = new Envelope(pick(Compression.values(), random), pick(Messages.values(), random));
        EnvelopeSealer sealer =
                new EnvelopeSealer(new Envelope(envelope.compression(), envelope.messages()), CONTAINER);
        for (int record = 0; record < 2; record++) {
            List<byte[]> written = new ArrayList<>();
            int count = sealer.takesSeveral() ? 1 + random.nextInt(20) : 1;
            for (int i = 0; i < count; i++) {
                byte[] message = message(envelope.messages(), random);
                sealer.add(message, 0, message.length);
                written.add(message);
            }
            byte[] sealed = sealer.seal();
            if (envelope.messages() != Messages.AVRO_CONTAINER) {
                assertFound(written, sealed, envelope);
            }
        }
    }

    private static byte[] message(Messages messages, Random random) {
        byte[] bytes = new byte[1 + random.nextInt(100)];
        random.nextBytes(bytes);
        return switch (messages) {
            case LINES -> {
                for (int b = 0; b < bytes.length; b++) {
                    bytes[b] = (byte) ('a' + (bytes[b] & 15));
                }
                yield bytes;
            }
            case THRIFT_LIST -> struct(new byte[] {11, 0, 1, 0, 0, 0, (byte) bytes.length}, bytes);
            case THRIFT_COMPACT_LIST -> struct(new byte[] {0x18, (byte) bytes.length}, bytes);
            case ONE, LENGTH_PREFIXED, AVRO_CONTAINER -> bytes;
        };
    }

    /** Returns a struct with one field, a string. */
    private static byte[] struct(byte[] head, byte[] string) {
        return ByteBuffer.allocate(head.length + string.length + 1)
                .put(head)
                .put(string)
                .array();
    }

    private static void assertFound(List<byte[]> written, byte[] record, Envelope envelope) {
        byte[] within = new byte[record.length + 20];
        System.arraycopy(record, 0, within, 7, record.length);

        EnvelopeOpener opener = new EnvelopeOpener(envelope, LIMITS);
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
        byte[] record = compressed(compression, new byte[48 << 20]);
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
    void open_recordThatNamesItsCodec_isOpenedByIt() throws IOException {
        EnvelopeOpener opener = new EnvelopeOpener(Envelope.NONE, LIMITS);
        byte[] message = {1, 2, 3};
        for (Compression compression : Compression.values()) {
            byte[] record = compressed(compression, message);
            opener.open(record, 0, record.length, compression.text());
            assertThat(opener.next()).isTrue();
            assertThat(Arrays.copyOfRange(opener.data(), opener.from(), opener.to()))
                    .isEqualTo(message);
        }
        assertThatThrownBy(() -> opener.open(message, 0, 3, "brotli"))
                .isInstanceOf(BadRecordException.class)
                .hasMessage("the codec must be none, gzip, zlib, zstd, lz4 or snappy, was 'brotli'")
                .extracting(e -> ((BadRecordException) e).fault())
                .isEqualTo(RecordFault.UNKNOWN_CODEC);
    }

    /** The second struct has a field of a type that does not exist. */
    @ParameterizedTest
    @EnumSource(
            value = Messages.class,
            names = {"THRIFT_LIST", "THRIFT_COMPACT_LIST"})
    void next_brokenStructOfAList_isTheRestWhichCanBeOpenedOnceMore(Messages messages) {
        byte[] good = message(messages, new Random(3));
        byte[] broken = messages == Messages.THRIFT_LIST ? new byte[] {77, 0, 1} : new byte[] {0x1F};
        Envelope envelope = new Envelope(Compression.NONE, messages);
        EnvelopeSealer sealer = new EnvelopeSealer(envelope);
        sealer.add(good, 0, good.length);
        sealer.add(broken, 0, broken.length);
        sealer.add(good, 0, good.length);
        byte[] record = sealer.seal();

        EnvelopeOpener opener = new EnvelopeOpener(envelope, LIMITS);
        opener.open(record, 0, record.length);
        assertThat(opener.next()).isTrue();
        assertThatThrownBy(opener::next).isInstanceOf(BadRecordException.class).hasMessageContaining("no type");
        assertThat(opener.from()).isEqualTo(record.length - good.length - broken.length);
        assertThat(opener.to()).isEqualTo(record.length);
        assertThat(opener.next()).isFalse();

        EnvelopeOpener rest = EnvelopeOpener.ofRests(envelope, LIMITS);
        rest.open(record, opener.from() + broken.length, opener.to());
        assertThat(rest.next()).isTrue();
        assertThat(Arrays.copyOfRange(rest.data(), rest.from(), rest.to())).isEqualTo(good);
        assertThat(rest.next()).isFalse();
    }

    @Test
    void next_listThatIsNotOneOfStructsOrHasMoreBehind_isUndecodable() {
        EnvelopeOpener opener = new EnvelopeOpener(new Envelope(Compression.NONE, Messages.THRIFT_LIST), LIMITS);
        assertThatThrownBy(() -> opener.open(new byte[] {8, 0, 0, 0, 1, 0, 0, 0, 7}, 0, 9))
                .hasMessageContaining("must be a list of structs, was one of i32");
        assertThatThrownBy(() -> opener.open(new byte[] {12, 0x77, 0x35, (byte) 0x94, 0, 0}, 0, 6))
                .hasMessageContaining("2000000000 elements do not fit into the 1 bytes that are left");
        opener.open(new byte[] {12, 0, 0, 0, 1, 0, 9}, 0, 7);
        assertThat(opener.next()).isTrue();
        assertThatThrownBy(opener::next).hasMessageContaining("1 bytes follow the end of the list");
    }

    @Test
    void open_emptyRecord_isEmptyUnlessItIsTheMessage() {
        EnvelopeOpener plain = new EnvelopeOpener(Envelope.NONE, LIMITS);
        plain.open(new byte[3], 2, 2);
        assertThat(plain.next()).isTrue();
        assertThat(plain.to() - plain.from()).isZero();
        assertThat(plain.next()).isFalse();

        for (Envelope envelope :
                List.of(new Envelope(Compression.GZIP, Messages.ONE), new Envelope(Compression.NONE, Messages.LINES))) {
            EnvelopeOpener opener = new EnvelopeOpener(envelope, LIMITS);
            assertThatThrownBy(() -> opener.open(new byte[3], 2, 2))
                    .isInstanceOf(BadRecordException.class)
                    .extracting(e -> ((BadRecordException) e).fault())
                    .isEqualTo(RecordFault.EMPTY);
        }
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
                case AVRO_CONTAINER, THRIFT_LIST, THRIFT_COMPACT_LIST -> throw new AssertionError(messages);
            }
        }
        return out.toByteArray();
    }

    private static OutputStream stream(Compression compression, OutputStream out) throws IOException {
        return switch (compression) {
            case LZ4 -> new LZ4FrameOutputStream(out);
            case GZIP -> new GZIPOutputStream(out);
            default -> new DeflaterOutputStream(out);
        };
    }

    private static byte[] compressed(Compression compression, byte[] data) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        switch (compression) {
            case NONE -> out.write(data);
            case SNAPPY -> out.write(Snappy.compress(data));
            case ZSTD -> out.write(Zstd.compress(data));
            case LZ4, GZIP, ZLIB -> {
                try (OutputStream stream = stream(compression, out)) {
                    stream.write(data);
                }
            }
        }
        return out.toByteArray();
    }
}
