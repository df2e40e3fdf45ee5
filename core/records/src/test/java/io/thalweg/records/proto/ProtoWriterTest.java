package io.thalweg.records.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.generate.Corruption;
import io.thalweg.records.generate.GeneratorOptions;
import io.thalweg.records.generate.MessageGenerator;
import io.thalweg.records.generate.RecordGenerator;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ProtoBytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the writer of a schema's messages, and generated messages, with the library. */
class ProtoWriterTest {
    private static final int SCHEMAS = 5;
    private static final int MESSAGES = 10;
    private static final ProtoSchema SHAPES = Protos.schema(Protos.SHAPES, "Shapes");

    private static GeneratorOptions options(ProtoSchema schema) {
        return GeneratorOptions.DEFAULT.withNulls(0.2).withRules(schema.rules());
    }

    private static Map<String, List<String>> columns(Struct struct) {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        struct.names().forEach(name -> columns.put(name, List.of(name)));
        return columns;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void message_anySchema_hasTheIntendedValuesForTheLibrary(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            byte[] set = new RandomProtos(random, random.nextBoolean(), random.nextBoolean(), random.nextBoolean())
                    .descriptors()
                    .toByteArray();
            Descriptor type = DescriptorSet.of(set).message("random.M0");
            ProtoSchema schema = ProtoSchema.of(set, "random.M0");
            MessageGenerator messages =
                    new MessageGenerator(schema.struct(), options(schema), Corruption.NONE, schema.writer(), seed);
            RecordGenerator records = new RecordGenerator(schema.struct(), options(schema), seed);
            NaiveRows intended = new NaiveRows(schema.struct());
            for (int m = 0; m < MESSAGES; m++) {
                messages.message(m);
                DynamicMessage read = DynamicMessage.parseFrom(
                        type, ByteString.copyFrom(messages.data(), messages.from(), messages.to() - messages.from()));
                records.emit(m, intended);
                assertThat(read.getUnknownFields().asMap()).isEmpty();
                assertThat(LibraryRows.row(read, columns(schema.struct())))
                        .isEqualTo(withDefaults(intended.take(), schema.struct()));
            }
        }
    }

    /** Replaces absent fields with the values that readers report for them. */
    private static Map<String, @Nullable Object> withDefaults(Map<String, @Nullable Object> row, Struct struct) {
        Map<String, @Nullable Object> read = new TreeMap<>();
        for (Field field : struct.fields()) {
            Object value = row.get(field.name());
            read.put(field.name(), value == null ? absent(field) : withDefaults(value, field.type()));
        }
        return read;
    }

    @SuppressWarnings("unchecked")
    private static Object withDefaults(Object value, FieldType type) {
        if (type instanceof Struct struct) {
            return withDefaults((Map<String, @Nullable Object>) value, struct);
        }
        if (type instanceof ListOf list) {
            return ((List<Object>) value)
                    .stream().map(each -> withDefaults(each, list.element())).toList();
        }
        if (type instanceof MapOf map) {
            List<Object> entries = new ArrayList<>((List<Object>) value);
            for (int i = 1; i < entries.size(); i += 2) {
                entries.set(i, withDefaults(entries.get(i), map.value()));
            }
            return entries;
        }
        return value;
    }

    private static @Nullable Object absent(Field field) {
        if (field.absent() instanceof byte[] bytes) {
            return field.type() instanceof FieldType.Bytes
                    ? HexFormat.of().formatHex(bytes)
                    : new String(bytes, StandardCharsets.UTF_8);
        }
        return field.absent();
    }

    @Test
    void message_oneof_hasEachMemberAndNone() throws Exception {
        Descriptor type = DescriptorSet.of(Protos.descriptors(Protos.SHAPES)).message("demo.Shapes");
        MessageGenerator messages =
                new MessageGenerator(SHAPES.struct(), options(SHAPES), Corruption.NONE, SHAPES.writer(), 1);
        Map<String, Integer> found = new TreeMap<>();
        for (int i = 0; i < 1_000; i++) {
            messages.message(i);
            DynamicMessage read = DynamicMessage.parseFrom(
                    type, ByteString.copyFrom(messages.data(), messages.from(), messages.to() - messages.from()));
            FieldDescriptor member =
                    read.getOneofFieldDescriptor(type.getOneofs().get(0));
            found.merge(member == null ? "none" : member.getName(), 1, Integer::sum);
        }
        assertThat(found).containsOnlyKeys("none", "one_inner", "one_text");
        assertThat(found.values()).allSatisfy(count -> assertThat(count).isGreaterThan(100));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void message_sizedAndDamaged_isWhatTheReaderExpects(long seed) {
        Translation translation = Translation.of(SHAPES.struct(), Selection.ALL);
        ProtoReader reader = SHAPES.reader(translation, Limits.DEFAULT);
        NaiveRows rows = new NaiveRows(SHAPES.struct());
        MessageGenerator.Probe probe = (data, from, to) -> isReadable(reader, rows, data, from, to);
        MessageGenerator messages = new MessageGenerator(
                SHAPES.struct(),
                options(SHAPES).withNulls(0).withSize(200, 900),
                Corruption.of(0.2),
                SHAPES.writer(),
                seed,
                probe);
        MessageGenerator again = new MessageGenerator(
                SHAPES.struct(),
                options(SHAPES).withNulls(0).withSize(200, 900),
                Corruption.of(0.2),
                SHAPES.writer(),
                seed,
                probe);
        for (int i = 999; i >= 0; i--) {
            messages.message(i);
            boolean damaged = messages.damageOf(i) != null;
            assertThat(isReadable(reader, rows, messages.data(), messages.from(), messages.to()))
                    .as("message %d", i)
                    .isNotEqualTo(damaged);
            assertThat(messages.to() - messages.from()).isBetween(damaged ? 1 : 200, damaged ? 2_000 : 900);
            again.message(i);
            assertThat(bytes(again)).isEqualTo(bytes(messages));
        }
    }

    private static byte[] bytes(MessageGenerator generator) {
        return Arrays.copyOfRange(generator.data(), generator.from(), generator.to());
    }

    private static boolean isReadable(ProtoReader reader, NaiveRows rows, byte[] data, int from, int to) {
        try {
            reader.read(data, from, to, rows);
            return true;
        } catch (BadRecordException e) {
            return false;
        } finally {
            rows.clear();
        }
    }

    /** The reader and the writer turn every message of the library into one that the library reads the same. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_whatTheReaderReports_isTheSameMessage(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            RandomProtos protos = new RandomProtos(random, random.nextBoolean(), random.nextBoolean(), false);
            FileDescriptorSet set = protos.descriptors();
            Descriptor type = DescriptorSet.of(set.toByteArray()).message("random.M0");
            ProtoSchema schema = ProtoSchema.of(set.toByteArray(), "random.M0");
            ProtoReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
            ProtoBytes writer = schema.writer();
            for (int m = 0; m < MESSAGES; m++) {
                byte[] bytes = protos.value(type).toByteArray();
                if (bytes.length == 0) {
                    continue;
                }
                writer.begin();
                try {
                    reader.read(bytes, 0, bytes.length, writer);
                } catch (BadRecordException e) {
                    // Random times may be outside the years of a timestamp.
                    assertThat(e).hasMessageContaining("years 1 to 9999");
                    continue;
                }
                writer.end();
                ByteString written = ByteString.copyFrom(writer.data(), writer.from(), writer.to() - writer.from());
                assertThat(LibraryRows.row(DynamicMessage.parseFrom(type, written), columns(schema.struct())))
                        .isEqualTo(LibraryRows.row(DynamicMessage.parseFrom(type, bytes), columns(schema.struct())));
            }
        }
    }

    @Test
    void write_twoMembersOfAOneof_isOutOfRange() {
        ProtoBytes writer = SHAPES.writer();
        int text = slot("one_text");
        int inner = slot("one_inner");
        writer.begin();
        writer.bytes(text, new byte[] {'x'}, 0, 1);
        writer.beginStruct(inner);
        writer.endStruct(inner);

        assertThatThrownBy(writer::end)
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("at most one of 'one_text' and 'one_inner' may have a value");
    }

    @Test
    void write_valuesThatTheTypeDoesNotHave_areOutOfRange() {
        ProtoBytes writer = SHAPES.writer();
        writer.begin();
        assertThatThrownBy(() -> writer.int64(slot("big"), -1))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("'big' must be 0 to 9223372036854775807, was -1");
        assertThatThrownBy(() -> writer.bytes(slot("color"), "PINK".getBytes(StandardCharsets.UTF_8), 0, 4))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("'color' must be a name of the enum");
    }

    @Test
    void write_symbolWithoutAName_isItsNumber() {
        byte[] message = Protos.message(out -> out.writeInt32(12, -7));
        ProtoBytes writer = SHAPES.writer();
        writer.begin();
        SHAPES.reader(Translation.of(SHAPES.struct(), Selection.ALL), Limits.DEFAULT)
                .read(message, 0, message.length, writer);
        writer.end();

        assertThat(Protos.read(SHAPES, Arrays.copyOfRange(writer.data(), writer.from(), writer.to())))
                .containsEntry("color", "-7");
    }

    private static int slot(String name) {
        int slot = 0;
        for (Field field : SHAPES.struct().fields()) {
            if (field.name().equals(name)) {
                return slot;
            }
            slot += FieldType.slots(field.type());
        }
        throw new AssertionError(name);
    }
}
