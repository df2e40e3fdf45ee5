package io.thalweg.records.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProtoSchemaTest {
    private static final Struct INNER = new Struct(List.of(
            new Field("a", FieldType.INT32, false, 0L),
            new Field("b", FieldType.TEXT, false, new byte[0]),
            new Field("list", new ListOf(FieldType.INT64, true), false, List.of())));

    private static final String PROTO2 = """
            name: 'old.proto' syntax: 'proto2'
            message_type { name: 'Old'
              field { name: 'must' number: 1 type: TYPE_INT64 label: LABEL_REQUIRED }
              field { name: 'may' number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL }
              field { name: 'text' number: 3 type: TYPE_STRING label: LABEL_OPTIONAL default_value: 'é' }
              field { name: 'bytes' number: 4 type: TYPE_BYTES label: LABEL_OPTIONAL default_value: '\\\\001' }
              field { name: 'real' number: 5 type: TYPE_FLOAT label: LABEL_OPTIONAL default_value: '0.5' }
              field { name: 'unsigned' number: 6 type: TYPE_FIXED32 label: LABEL_OPTIONAL default_value: '4294967295' }
              field { name: 'color' number: 7 type: TYPE_ENUM type_name: '.Color' label: LABEL_OPTIONAL default_value: 'BLUE' }
              field { name: 'truth' number: 8 type: TYPE_BOOL label: LABEL_OPTIONAL default_value: 'true' }
              field { name: 'one' number: 9 type: TYPE_INT32 label: LABEL_OPTIONAL default_value: '3' oneof_index: 0 }
              oneof_decl { name: 'o' } }
            enum_type { name: 'Color' value { name: 'RED' number: 3 } value { name: 'BLUE' number: 4 } }
            """;

    private static Field field(Struct struct, String name) {
        return struct.fields().get(struct.indexOf(name));
    }

    private static Field shape(String name) {
        return field(Protos.schema(Protos.SHAPES, "Shapes").struct(), name);
    }

    private static Field old(String name) {
        return field(Protos.schema(PROTO2, "Old").struct(), name);
    }

    private static void assertRefused(String file, String expected) {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> Protos.schema(file, "M"))
                .withMessageContaining(expected);
    }

    @Test
    void struct_proto3Scalars_areTheirDefaultsWhereAbsent() {
        assertThat(shape("number")).isEqualTo(new Field("number", FieldType.INT32, false, 0L));
        assertThat(shape("text")).isEqualTo(new Field("text", FieldType.TEXT, false, new byte[0]));
        assertThat(shape("big")).isEqualTo(new Field("big", FieldType.INT64, false, 0L));
        assertThat(shape("far")).isEqualTo(new Field("far", FieldType.BYTES, false, new byte[0]));
        byte[] red = "RED".getBytes(StandardCharsets.UTF_8);
        assertThat(shape("color")).isEqualTo(new Field("color", new Symbols(List.of("RED", "BLUE")), false, red));
    }

    @Test
    void struct_fieldsWithPresence_areOptional() {
        assertThat(shape("maybe")).isEqualTo(Field.optional("maybe", FieldType.BOOL));
        assertThat(shape("one_text")).isEqualTo(Field.optional("one_text", FieldType.TEXT));
        assertThat(shape("one_inner")).isEqualTo(Field.optional("one_inner", INNER));
        assertThat(shape("inner")).isEqualTo(Field.optional("inner", INNER));
    }

    @Test
    void struct_listsAndMaps_areEmptyWhereAbsent() {
        assertThat(shape("numbers"))
                .isEqualTo(new Field("numbers", new ListOf(FieldType.INT32, true), false, List.of()));
        assertThat(shape("inners")).isEqualTo(new Field("inners", new ListOf(INNER, true), false, List.of()));
        assertThat(shape("map")).isEqualTo(new Field("map", new MapOf(FieldType.TEXT, INNER, true), false, List.of()));
    }

    @Test
    void struct_wellKnownTypes_areScalars() {
        assertThat(shape("time")).isEqualTo(Field.optional("time", FieldType.TIMESTAMP));
        assertThat(shape("lasts")).isEqualTo(Field.optional("lasts", FieldType.INT64));
        assertThat(shape("boxed")).isEqualTo(Field.optional("boxed", FieldType.INT64));
    }

    @Test
    void struct_proto2_hasRequiredFieldsAndDefaults() {
        assertThat(old("must")).isEqualTo(Field.required("must", FieldType.INT64));
        assertThat(old("may")).isEqualTo(Field.optional("may", FieldType.INT64));
        assertThat(old("text").absent()).isEqualTo("é".getBytes(StandardCharsets.UTF_8));
        assertThat(old("bytes").absent()).isEqualTo(new byte[] {1});
        assertThat(old("real").absent()).isEqualTo(0.5);
        assertThat(old("unsigned").absent()).isEqualTo(4294967295L);
        assertThat(old("color").absent()).isEqualTo("BLUE".getBytes(StandardCharsets.UTF_8));
        assertThat(old("truth").absent()).isEqualTo(true);
        assertThat(old("one")).isEqualTo(Field.optional("one", FieldType.INT32));
    }

    @Test
    void struct_messageThatContainsItself_isMarkedWhereItIsMetAgain() {
        Struct tree = Protos.schema("""
                name: 'm.proto' syntax: 'proto3'
                message_type { name: 'M'
                  field { name: 'x' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
                  field { name: 'other' number: 2 type: TYPE_MESSAGE type_name: '.N' label: LABEL_OPTIONAL } }
                message_type { name: 'N'
                  field { name: 'back' number: 1 type: TYPE_MESSAGE type_name: '.M' label: LABEL_REPEATED } }
                """, "M").struct();
        Field back = new Field("back", new ListOf(new Recursive("M"), true), false, List.of());
        assertThat(field(tree, "other").type()).isEqualTo(new Struct(List.of(back)));
    }

    @Test
    void struct_typesWithManyPathsBetweenThem_areShared() {
        StringBuilder file = new StringBuilder("name: 'm.proto' syntax: 'proto3'");
        for (int i = 0; i < 100; i++) {
            String next = i == 99 ? "type: TYPE_INT32" : "type: TYPE_MESSAGE type_name: '.M" + (i + 1) + "'";
            file.append("""
                    message_type { name: 'M%d'
                      field { name: 'l' number: 1 %s label: LABEL_OPTIONAL }
                      field { name: 'r' number: 2 %s label: LABEL_OPTIONAL } }
                    """.formatted(i, next, next));
        }
        Struct struct = Protos.schema(file.toString(), "M0").struct();
        assertThat(field(struct, "l").type()).isSameAs(field(struct, "r").type());
    }

    @Test
    void struct_typesThatAllLeadToEachOther_areRefused() {
        StringBuilder file = new StringBuilder("name: 'm.proto' syntax: 'proto3'");
        for (int i = 0; i < 12; i++) {
            file.append("message_type { name: '%s' ".formatted(i == 0 ? "M" : "M" + i));
            for (int f = 1; f < 12; f++) {
                file.append(
                        "field { name: 'f%d' number: %d type: TYPE_MESSAGE type_name: '.M%d' label: LABEL_OPTIONAL } "
                                .formatted(f, f, f));
            }
            file.append("}\n");
        }
        assertRefused(file.toString(), "in too many ways");
    }

    @Test
    void of_groupDeclared_isRefusedOnlyWhereItIsSelected() {
        Struct struct = Protos.schema("""
                name: 'm.proto' syntax: 'proto2'
                message_type { name: 'M'
                  field { name: 'id' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
                  field { name: 'old' number: 2 type: TYPE_MESSAGE type_name: '.Old' label: LABEL_REPEATED } }
                message_type { name: 'Old'
                  field { name: 'g' number: 1 type: TYPE_GROUP type_name: '.Old.G' label: LABEL_OPTIONAL }
                  nested_type { name: 'G' } }
                """, "M").struct();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> Translation.of(struct, Selection.ALL))
                .withMessage(
                        "'old.g' is a group, which is not supported; leave it out with 'exclude', or list the fields"
                                + " that are needed with 'fields'");
        Selection id = new Selection(List.of(new Selection.Column("id", List.of("id"))));
        assertThat(Translation.of(struct, id).target().names()).containsExactly("id");
        Selection rest = new Selection(List.of(Selection.Column.all()), List.of(List.of("old", "g")));
        assertThat(Translation.of(struct, rest).target().fields().get(1).type())
                .isEqualTo(new ListOf(new Struct(List.of()), true));
    }

    @Test
    void of_defaultBeyondInt64_isRefused() {
        assertRefused("""
                name: 'm.proto' syntax: 'proto2'
                message_type { name: 'M'
                  field { name: 'u' number: 1 type: TYPE_UINT64 label: LABEL_OPTIONAL default_value: '18446744073709551615' } }
                """, "'M.u' is 18446744073709551615");
    }

    @Test
    void of_severalMessagesAndNoType_listsThem() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> ProtoSchema.of(Protos.descriptors(Protos.SHAPES), null))
                .withMessageContaining("'type': demo.Inner, demo.Shapes");
    }

    @Test
    void of_oneMessageAndNoType_isFoundDespiteImports() {
        String file = "name: 'm.proto' message_type { name: 'M' } dependency: 'google/protobuf/timestamp.proto' ";
        byte[] all = Protos.descriptors(file + "dependency: 'google/protobuf/duration.proto' "
                + "dependency: 'google/protobuf/wrappers.proto'");
        assertThat(ProtoSchema.of(all, null).name()).isEqualTo("M");
    }

    @Test
    void of_typeThatIsNotThere_listsThoseThatAre() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> Protos.schema(Protos.SHAPES, "Shape"))
                .withMessageContaining("'Shape'")
                .withMessageContaining("demo.Inner, demo.Shapes, google.protobuf.");
    }

    @Test
    void of_importThatIsMissing_namesItAndTheOption() throws Exception {
        FileDescriptorSet all = FileDescriptorSet.parseFrom(Protos.descriptors(Protos.SHAPES));
        byte[] without =
                FileDescriptorSet.newBuilder().addFile(all.getFile(3)).build().toByteArray();
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> ProtoSchema.of(without, "Shapes"))
                .withMessageContaining("'shapes.proto' imports 'google/protobuf/timestamp.proto'")
                .withMessageContaining("--include_imports");
    }

    @Test
    void of_files_areReadOrNamed(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("shapes.pb");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> ProtoSchema.of(file, null))
                .withMessageContaining(file.toString());
        Files.writeString(file, "syntax = \"proto3\";");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> ProtoSchema.of(file, null))
                .withMessageContaining(file + ": not a descriptor set");
        Files.write(file, Protos.descriptors(Protos.SHAPES));
        assertThat(ProtoSchema.of(file, "demo.Shapes").name()).isEqualTo("demo.Shapes");
    }
}
