package io.thalweg.records.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AvroSchemaTest {
    private static Field field(String type) {
        return AvroSchema.parse(
                        "{\"type\": \"record\", \"name\": \"R\", \"namespace\": \"n\", \"fields\": [{\"name\": \"v\", \"type\": "
                                + type + "}]}")
                .struct()
                .fields()
                .get(0);
    }

    private static FieldType type(String type) {
        return field(type).type();
    }

    private static FieldType logical(String type, String logical) {
        return type("{\"type\": \"" + type + "\", \"logicalType\": \"" + logical + "\"}");
    }

    private static String fixed(int size, String rest) {
        return "{\"type\": \"fixed\", \"name\": \"F\", \"size\": " + size + rest + "}";
    }

    @Test
    void struct_plainTypes_areNeutral() {
        assertThat(type("\"boolean\"")).isEqualTo(FieldType.BOOL);
        assertThat(type("\"int\"")).isEqualTo(FieldType.INT32);
        assertThat(type("\"long\"")).isEqualTo(FieldType.INT64);
        assertThat(type("\"float\"")).isEqualTo(FieldType.FLOAT);
        assertThat(type("\"double\"")).isEqualTo(FieldType.DOUBLE);
        assertThat(type("\"string\"")).isEqualTo(FieldType.TEXT);
        assertThat(type("\"bytes\"")).isEqualTo(FieldType.BYTES);
        assertThat(type(fixed(12, ""))).isEqualTo(FieldType.BYTES);
        assertThat(type("{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\", \"B\"]}"))
                .isEqualTo(new Symbols(List.of("A", "B")));
    }

    @Test
    void struct_logicalTypes_areNeutral() {
        assertThat(logical("int", "date")).isEqualTo(FieldType.DATE);
        assertThat(logical("int", "time-millis")).isEqualTo(FieldType.TIME);
        assertThat(logical("long", "time-micros")).isEqualTo(FieldType.TIME);
        for (String unit : List.of("millis", "micros", "nanos")) {
            assertThat(logical("long", "timestamp-" + unit)).isEqualTo(FieldType.TIMESTAMP);
            assertThat(logical("long", "local-timestamp-" + unit)).isEqualTo(FieldType.LOCAL_TIMESTAMP);
        }
        assertThat(logical("string", "uuid")).isEqualTo(FieldType.UUID);
        assertThat(type(fixed(16, ", \"logicalType\": \"uuid\""))).isEqualTo(FieldType.UUID);
        assertThat(type(fixed(12, ", \"logicalType\": \"duration\""))).isEqualTo(FieldType.BYTES);
        assertThat(type("{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 9, \"scale\": 2}"))
                .isEqualTo(new Decimal(9, 2));
        assertThat(type(fixed(8, ", \"logicalType\": \"decimal\", \"precision\": 18")))
                .isEqualTo(new Decimal(18, 0));
    }

    @ParameterizedTest
    @CsvSource({"string, date", "int, timestamp-millis", "long, unheard-of", "bytes, uuid"})
    void struct_logicalTypeThatDoesNotFit_isIgnored(String type, String logical) {
        assertThat(logical(type, logical)).isEqualTo(type("\"" + type + "\""));
    }

    @Test
    void struct_decimalTooPrecise_namesTheField() {
        assertThatThrownBy(() -> type("{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 39}"))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'v'")
                .hasMessageContaining("39");
    }

    @Test
    void struct_unionWithNull_isOptional() {
        assertThat(field("[\"null\", \"int\"]")).isEqualTo(Field.optional("v", FieldType.INT32));
        assertThat(field("[\"int\", \"null\"]")).isEqualTo(Field.optional("v", FieldType.INT32));
        assertThat(field("[\"int\"]")).isEqualTo(Field.required("v", FieldType.INT32));
        assertThat(field("\"null\"")).isEqualTo(Field.optional("v", FieldType.TEXT));
    }

    @Test
    void struct_unionOfSeveral_hasAFieldForEach() {
        String union = "[\"null\", \"string\", {\"type\": \"long\", \"logicalType\": \"timestamp-micros\"},"
                + " {\"type\": \"record\", \"name\": \"S\", \"fields\": []}]";
        Struct branches = new Struct(List.of(
                Field.optional("string", FieldType.TEXT),
                Field.optional("long", FieldType.TIMESTAMP),
                Field.optional("S", new Struct(List.of()))));
        assertThat(field(union)).isEqualTo(Field.optional("v", branches));
        assertThat(field(union.replace("\"null\", ", ""))).isEqualTo(Field.required("v", branches));
    }

    @Test
    void struct_branchesOfOneSimpleName_haveFullNames() {
        FieldType union = type("[\"int\", {\"type\": \"fixed\", \"name\": \"a.S\", \"size\": 1},"
                + " {\"type\": \"fixed\", \"name\": \"b.S\", \"size\": 1}]");
        assertThat(((Struct) union).names()).containsExactly("int", "a.S", "b.S");
    }

    @Test
    void struct_collections_knowWhetherElementsMayBeNull() {
        assertThat(type("{\"type\": \"array\", \"items\": [\"null\", \"int\"]}"))
                .isEqualTo(new ListOf(FieldType.INT32, false));
        assertThat(type("{\"type\": \"map\", \"values\": \"int\"}"))
                .isEqualTo(new MapOf(FieldType.TEXT, FieldType.INT32, true));
    }

    @Test
    void struct_recordWithinItself_isRecursive() {
        assertThat(type("[\"null\", \"n.R\"]")).isEqualTo(new FieldType.Recursive("n.R"));
    }

    @Test
    void struct_recordUsedTwice_isNotRecursive() {
        FieldType union = type(
                "{\"type\": \"record\", \"name\": \"P\", \"fields\": ["
                        + "{\"name\": \"a\", \"type\": {\"type\": \"record\", \"name\": \"S\", \"fields\": []}}, {\"name\": \"b\", \"type\": \"S\"}]}");
        assertThat(((Struct) union).fields().get(1).type()).isEqualTo(new Struct(List.of()));
    }

    @Test
    void parse_recordsThatUnfoldWithoutBound_isRefused() {
        StringBuilder type = new StringBuilder("\"int\"");
        for (int i = 0; i < 40; i++) {
            type.insert(
                            0,
                            "{\"type\": \"record\", \"name\": \"S%d\", \"fields\": [{\"name\": \"a\", \"type\": "
                                    .formatted(i))
                    .append("}, {\"name\": \"b\", \"type\": \"%s\"}]}".formatted(i == 0 ? "int" : "S" + (i - 1)));
        }
        assertThatThrownBy(() -> AvroSchema.parse(type.toString()))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("65536 fields");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"int\"; must be a record, was int",
                "{\"type\": \"record\", \"name\": \"R\"}; not a valid Avro schema",
                "{; not a valid Avro schema",
                "''; not a valid Avro schema",
                "{\"type\": \"fixed\", \"name\": \"F\", \"size\": -1}; not a valid Avro schema",
                "{\"type\": \"record\", \"name\": \"R\", \"fields\": [{\"name\": \"a\", \"type\": \"Missing\"}]}; Missing"
            })
    void parse_notASchemaOfARecord_saysWhy(String json, String problem) {
        assertThatThrownBy(() -> AvroSchema.parse(json))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void of_file_namesItInErrors(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("ride.avsc");
        assertThatThrownBy(() -> AvroSchema.of(file))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("ride.avsc");
        Files.writeString(file, "\"int\"");
        assertThatThrownBy(() -> AvroSchema.of(file)).hasMessageContaining("ride.avsc: the root");
        Files.writeString(file, "{\"type\": \"record\", \"name\": \"R\", \"fields\": []}");
        assertThat(AvroSchema.of(file).struct()).isEqualTo(new Struct(List.of()));
    }

    @Test
    void serialization_roundTrip_isEqual() throws Exception {
        AvroSchema schema = AvroSchema.parse(
                "{\"type\": \"record\", \"name\": \"R\", \"fields\": [{\"name\": \"a\", \"type\": [\"null\", \"R\"]}]}");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(schema);
        }
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(out.toByteArray()))) {
            AvroSchema copy = (AvroSchema) objects.readObject();
            assertThat(copy).isEqualTo(schema).hasSameHashCodeAs(schema).hasToString(schema.toString());
            assertThat(copy.struct()).isEqualTo(schema.struct());
        }
    }
}
