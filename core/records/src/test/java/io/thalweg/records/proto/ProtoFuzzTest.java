package io.thalweg.records.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.management.ThreadMXBean;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.Field;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damaged messages. The reader differs from the library as follows.
 *
 * <p>We refuse, and the library accepts: another wire type for a known field, which it treats as an unknown field; proto2 text
 * that is not UTF-8, which tables cannot hold; tags and lengths of more than 32 bits, which it truncates; unsigned numbers and
 * times beyond signed 64 bits; varints whose tenth byte is more than 1; and empty messages. If the tenth byte is 0, the library
 * sets the highest bit nevertheless, unless the message ends soon.
 *
 * <p>We accept bytes that it refuses only where no row depends on them: in messages that are not selected, and in members of a
 * oneof that a later member clears. The schemas compared here have no oneof.
 */
class ProtoFuzzTest {
    private static final int SCHEMAS = 4;
    private static final int MUTATIONS = 150;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A random proto3 schema, for the reader and the library. */
    private static final class Pair {
        private final Descriptor type;
        private final Map<String, List<String>> columns = new LinkedHashMap<>();
        private final NaiveRows rows;
        private final ProtoReader reader;
        private final byte[] message;

        Pair(Random random) {
            RandomProtos protos = new RandomProtos(random, true, false, false);
            FileDescriptorSet set = protos.descriptors();
            type = DescriptorSet.of(set.toByteArray()).message("random.M0");
            ProtoSchema schema = ProtoSchema.of(set.toByteArray(), "random.M0");
            for (Field field : schema.struct().fields()) {
                columns.put(field.name(), List.of(field.name()));
            }
            Translation translation = Translation.of(schema.struct(), Selection.ALL);
            rows = new NaiveRows(translation.target());
            reader = schema.reader(translation, Limits.DEFAULT);
            message = protos.value(type).toByteArray();
        }

        /** Returns the row, or null if the message is refused. */
        private @Nullable Map<String, @Nullable Object> ours(byte[] bytes) {
            try {
                reader.read(bytes, 0, bytes.length, rows);
                return rows.take();
            } catch (BadRecordException e) {
                rows.clear();
                assertThat(e.fault())
                        .isIn(
                                RecordFault.UNDECODABLE,
                                RecordFault.INVALID_TEXT,
                                RecordFault.OUT_OF_RANGE,
                                RecordFault.EMPTY);
                return null;
            }
        }

        private @Nullable DynamicMessage theirs(byte[] bytes) {
            try {
                return DynamicMessage.parseFrom(type, bytes);
            } catch (InvalidProtocolBufferException e) {
                return null;
            }
        }

        /** Returns whether the reader accepted the bytes. Fails if it did and the library reads them differently. */
        boolean check(byte[] bytes) {
            Map<String, @Nullable Object> row = ours(bytes);
            if (row != null) {
                DynamicMessage message = theirs(bytes);
                if (message == null) {
                    throw new AssertionError("accepted, but not by the library: "
                            + HexFormat.of().formatHex(bytes));
                }
                if (!hasLongZero(bytes)) {
                    assertThat(row).isEqualTo(LibraryRows.row(message, columns));
                }
            }
            return row != null;
        }

        /** Returns whether nine bytes that could belong to a varint are followed by 0. */
        private static boolean hasLongZero(byte[] bytes) {
            int before = 0;
            for (byte b : bytes) {
                if (b == 0 && before >= 9) {
                    return true;
                }
                before = b < 0 ? before + 1 : 0;
            }
            return false;
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_cutAtAnyByte_isRefusedOrReadAsByTheLibrary(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            Pair pair = new Pair(random);
            for (int length = 1; length < Math.min(200, pair.message.length); length++) {
                pair.check(Arrays.copyOf(pair.message, length));
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_oneByteChanged_isRefusedOrReadAsByTheLibrary(long seed) {
        Random random = new Random(seed);
        int good = 0;
        for (int i = 0; i < SCHEMAS; i++) {
            Pair pair = new Pair(random);
            for (int m = 0; m < MUTATIONS && pair.message.length > 0; m++) {
                byte[] bytes = pair.message.clone();
                int at = random.nextInt(bytes.length);
                bytes[at] = (byte) (random.nextBoolean() ? random.nextInt() : bytes[at] ^ 1 << random.nextInt(8));
                good += pair.check(bytes) ? 1 : 0;
            }
        }
        assertThat(good).as("messages that remained readable").isPositive();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_piecesOfMessages_failsInOneWayOnly(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            Pair pair = new Pair(random);
            for (int m = 0; m < MUTATIONS; m++) {
                byte[] bytes = splice(random, pair.message);
                Map<String, @Nullable Object> row = pair.ours(bytes);
                DynamicMessage message = pair.theirs(bytes);
                if (row != null && message != null && !Pair.hasLongZero(bytes)) {
                    assertThat(row).isEqualTo(LibraryRows.row(message, pair.columns));
                }
            }
        }
    }

    private static byte[] splice(Random random, byte[] message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int piece = 0; piece < 1 + random.nextInt(5); piece++) {
            int from = random.nextInt(message.length + 1);
            switch (random.nextInt(4)) {
                case 0 -> {
                    byte[] noise = new byte[random.nextInt(20)];
                    random.nextBytes(noise);
                    out.writeBytes(noise);
                }
                case 1 -> out.writeBytes(new byte[] {-1, -1, -1, -1, (byte) random.nextInt(128)});
                default -> out.write(message, from, random.nextInt(message.length - from + 1));
            }
        }
        return out.toByteArray();
    }

    @Test
    void read_tenThousandLevels_isRefusedOrSkippedWithoutRecursion() {
        ProtoSchema schema = Protos.schema("""
                name: 'm.proto' syntax: 'proto3'
                message_type { name: 'M'
                  field { name: 'm' number: 1 type: TYPE_MESSAGE type_name: '.M' label: LABEL_OPTIONAL }
                  field { name: 'x' number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL } }
                """, "M");
        Translation translation =
                Translation.of(schema.struct(), new Selection(List.of(new Selection.Column("x", List.of("x")))));
        NaiveRows rows = new NaiveRows(translation.target());
        ProtoReader reader = schema.reader(translation, new Limits(1 << 20, 1 << 20, 100, 9_999));
        byte[] nested = {};
        for (int level = 0; level < 10_000; level++) {
            byte[] below = nested;
            nested = Protos.message(out -> out.writeByteArray(1, below));
        }
        reader.read(nested, 0, nested.length, rows);
        assertThat(rows.take()).containsEntry("x", 0L);

        byte[] groups = new byte[20_000];
        Arrays.fill(groups, 0, 10_000, (byte) (3 << 3 | 3));
        Arrays.fill(groups, 10_000, 20_000, (byte) (3 << 3 | 4));
        assertThatExceptionOfType(BadRecordException.class)
                .isThrownBy(() -> reader.read(groups, 0, groups.length, rows))
                .withMessageContaining("more than 9999 levels");
        reader.read(groups, 3, groups.length - 3, rows);
        assertThat(rows.take()).containsEntry("x", 0L);
    }

    @Test
    void read_lengthsThatAreClaimed_allocateNothing() {
        ProtoSchema schema = Protos.schema(Protos.SHAPES, "Shapes");
        List<byte[]> messages = new ArrayList<>();
        for (int field = 1; field < 16; field++) {
            for (int length : new int[] {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 2_000_000_000, 1 << 28}) {
                int number = field;
                messages.add(Protos.message(out -> {
                    out.writeTag(number, 2);
                    out.writeUInt32NoTag(length);
                    out.writeRawBytes(new byte[] {10, 1, 2, 3});
                }));
            }
        }
        Translation translation = Translation.of(schema.struct(), Selection.ALL);
        ProtoReader reader = schema.reader(translation, Limits.DEFAULT);
        CountingRows rows = new CountingRows();
        long bytes = allocatedBy(() -> {
            for (byte[] message : messages) {
                assertThatExceptionOfType(BadRecordException.class)
                        .isThrownBy(() -> reader.read(message, 0, message.length, rows));
            }
        });
        assertThat(bytes / messages.size()).isLessThan(100_000);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_goodMessages_allocateNothing(long seed) {
        Random random = new Random(seed);
        RandomProtos protos = new RandomProtos(random, true, true, false);
        FileDescriptorSet set = protos.descriptors();
        Descriptor type = DescriptorSet.of(set.toByteArray()).message("random.M0");
        ProtoSchema schema = ProtoSchema.of(set.toByteArray(), "random.M0");
        ProtoReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
        byte[] message = protos.value(type).toByteArray();
        CountingRows rows = new CountingRows();
        Runnable hundred = () -> {
            for (int i = 0; i < 100 && message.length > 0; i++) {
                reader.read(message, 0, message.length, rows);
            }
        };
        hundred.run();
        assertThat(allocatedBy(hundred)).isLessThan(1_000);
    }

    @Test
    void read_fieldsThatAlternate_takesMemoryAndTimeInProportion() {
        ProtoSchema schema = Protos.schema(Protos.SHAPES, "Shapes");
        ProtoReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
        byte[] message = new byte[1_000_000];
        for (int i = 0; i < message.length; i += 4) {
            message[i] = 4 << 3;
            message[i + 2] = 3 << 3 | 2;
        }
        CountingRows rows = new CountingRows();
        long bytes = allocatedBy(() -> reader.read(message, 0, message.length, rows));
        assertThat(rows.values()).isGreaterThan(250_000);
        assertThat(bytes).isLessThan(30L * message.length);
    }

    @Test
    void read_listOfMessagesWhoseFieldsAlternate_usesTheSameMemoryForEach() {
        ProtoSchema schema = Protos.schema(Protos.SHAPES, "Shapes");
        ProtoReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
        byte[] inner = new byte[70];
        for (int i = 0; i < inner.length; i += 7) {
            inner[i] = 3 << 3 | 5;
            inner[i + 5] = 1 << 3;
        }
        byte[] message = Protos.message(out -> {
            for (int i = 0; i < 10_000; i++) {
                out.writeByteArray(5, inner);
            }
        });
        CountingRows rows = new CountingRows();
        assertThat(allocatedBy(() -> reader.read(message, 0, message.length, rows)))
                .isLessThan(100_000);
        assertThat(rows.values()).isGreaterThan(100_000);
    }

    private static long allocatedBy(Runnable code) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        code.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
