package io.thalweg.records.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import io.thalweg.records.Limits;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Selection.Column;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.values.ByRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The reader compared with the library: random schemas, messages and selections. */
class ProtoOracleTest {
    private static final int SCHEMAS = 10;
    private static final int MESSAGES = 4;

    /** A random schema, shared by the library and the reader. */
    private record Case(RandomProtos protos, Descriptor type, ProtoSchema schema) {
        static Case of(RandomProtos protos) {
            FileDescriptorSet set = protos.descriptors();
            return new Case(
                    protos,
                    DescriptorSet.of(set.toByteArray()).message("random.M0"),
                    ProtoSchema.of(set.toByteArray(), "random.M0"));
        }

        void check(byte[] bytes, Map<String, List<String>> columns) throws Exception {
            List<Column> selected = new ArrayList<>();
            columns.forEach((name, path) -> selected.add(new Column(name, path)));
            Translation translation = Translation.of(schema.struct(), new Selection(selected));
            NaiveRows rows = new NaiveRows(translation.target());
            ProtoReader reader = schema.reader(translation, Limits.DEFAULT);
            if (bytes.length > 0) {
                reader.read(bytes, 0, bytes.length, rows);
                DynamicMessage message = DynamicMessage.parseFrom(type, bytes);
                assertThat(rows.take()).isEqualTo(LibraryRows.row(message, columns));
                if (columns.size() == schema.struct().fields().size()
                        && !recurses(schema.struct())
                        && columns.values().stream().allMatch(path -> path.size() == 1)
                        && columns.values().stream().distinct().count() == columns.size()) {
                    assertThat(reader.unknownFields()).isEqualTo(LibraryRows.unknownFields(message));
                }
                new ByRow(translation.target()).check(reader, bytes, 0, bytes.length);
            }
        }
    }

    private static RandomProtos protos(Random random) {
        return new RandomProtos(random, random.nextBoolean(), random.nextBoolean(), random.nextInt(3) == 0);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_whatTheLibraryWrites_equalsIt(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            Case one = Case.of(protos(random));
            for (int m = 0; m < MESSAGES; m++) {
                byte[] bytes = one.protos().value(one.type()).toByteArray();
                one.check(bytes, wholes(one.schema().struct()));
                one.check(bytes, some(random, one.schema().struct()));
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_fieldsInAnyOrderFromSeveralMessages_areMergedAsByTheLibrary(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < SCHEMAS; i++) {
            Case one = Case.of(protos(random));
            for (int m = 0; m < MESSAGES; m++) {
                byte[] bytes = disorder(random, one);
                one.check(bytes, wholes(one.schema().struct()));
                one.check(bytes, some(random, one.schema().struct()));
            }
        }
    }

    /** Concatenates several messages, whole or field by field in another order, with unknown fields between them. */
    private static byte[] disorder(Random random, Case one) {
        List<byte[]> chunks = new ArrayList<>();
        for (int part = 0; part <= random.nextInt(4); part++) {
            chunks.addAll(WireChunks.of(one.protos().value(one.type()).toByteArray()));
            int number = 1 + random.nextInt(3_000);
            if (one.type().findFieldByNumber(number) == null) {
                chunks.add(WireChunks.field(random, number));
            }
        }
        if (random.nextBoolean()) {
            Collections.shuffle(chunks, random);
        }
        return WireChunks.join(chunks);
    }

    private static Map<String, List<String>> wholes(Struct struct) {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        for (Field field : struct.fields()) {
            if (!recurses(field.type())) {
                columns.put(field.name(), List.of(field.name()));
            }
        }
        return columns;
    }

    /** Returns a subset with other names, from all levels, sometimes of the same fields. */
    private static Map<String, List<String>> some(Random random, Struct struct) {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        for (int i = 0; i < random.nextInt(8); i++) {
            List<String> path = path(random, struct);
            if (!path.isEmpty()) {
                columns.put("c" + columns.size(), path);
                if (random.nextInt(4) == 0) {
                    columns.put("c" + columns.size(), path);
                }
            }
        }
        return columns;
    }

    private static List<String> path(Random random, Struct struct) {
        List<String> path = new ArrayList<>();
        Struct at = struct;
        while (!at.fields().isEmpty()) {
            Field field = at.fields().get(random.nextInt(at.fields().size()));
            path.add(field.name());
            if (field.type() instanceof Struct below && random.nextInt(3) > 0) {
                at = below;
            } else {
                return recurses(field.type()) ? List.of() : path;
            }
        }
        return List.of();
    }

    private static boolean recurses(FieldType type) {
        if (type instanceof Struct struct) {
            return struct.fields().stream().anyMatch(field -> recurses(field.type()));
        }
        if (type instanceof ListOf list) {
            return recurses(list.element());
        }
        return type instanceof MapOf map ? recurses(map.value()) : type instanceof Recursive;
    }

    /** The random schemas are useful only if they contain fields of all kinds. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void schemas_random_haveFieldsOfAllTypes(long seed) {
        Random random = new Random(seed);
        List<FieldDescriptor.Type> types = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Case.of(protos(random)).type().getFields().forEach(field -> types.add(field.getType()));
        }
        assertThat(types)
                .contains(java.util.Arrays.stream(FieldDescriptor.Type.values())
                        .filter(type -> type != FieldDescriptor.Type.GROUP)
                        .toArray(FieldDescriptor.Type[]::new));
    }
}
