package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.thalweg.records.Limits;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schemas in JSON Schema. */
class JsonSchemaTest {
    private static Struct struct(String json) {
        return JsonSchema.parse(json.replace('\'', '"'), "rides.json").struct();
    }

    private static Field field(String schema) {
        return struct("{'type':'object','properties':{'v':" + schema + "}}")
                .fields()
                .get(0);
    }

    private static FieldType type(String schema) {
        return field(schema).type();
    }

    @Test
    void parse_scalars_haveTheirTypes() {
        assertThat(type("{'type':'boolean'}")).isEqualTo(FieldType.BOOL);
        assertThat(type("{'type':'integer'}")).isEqualTo(FieldType.INT64);
        assertThat(type("{'type':'integer','format':'int16'}")).isEqualTo(FieldType.INT16);
        assertThat(type("{'type':'integer','minimum':-2147483648,'maximum':2147483647}"))
                .isEqualTo(FieldType.INT32);
        assertThat(type("{'type':'integer','minimum':-2147483649,'maximum':2147483647}"))
                .isEqualTo(FieldType.INT64);
        assertThat(type("{'type':'integer','minimum':0}")).isEqualTo(FieldType.INT64);
        assertThat(type("{'type':'integer','format':'int64','minimum':0,'maximum':1}"))
                .isEqualTo(FieldType.INT64);
        assertThat(type("{'type':'number'}")).isEqualTo(FieldType.DOUBLE);
        assertThat(type("{'type':'string','format':'email','pattern':'.*'}")).isEqualTo(FieldType.TEXT);
        assertThat(type("{'enum':['A','B']}")).isEqualTo(new Symbols(List.of("A", "B")));
        assertThat(type("{'const':'A'}")).isEqualTo(new Symbols(List.of("A")));
        assertThat(type("{'type':'string','format':'decimal','x-precision':10,'x-scale':2}"))
                .isEqualTo(new Decimal(10, 2));
    }

    @Test
    void parse_containers_areNested() {
        assertThat(type("{'items':{'type':['integer','null']},'type':'array'}"))
                .isEqualTo(new ListOf(FieldType.INT64, false));
        assertThat(type("{'type':'object','additionalProperties':{'type':'string'}}"))
                .isEqualTo(new MapOf(FieldType.TEXT, FieldType.TEXT, true));
        assertThat(type("{'properties':{'a':{'type':'string'}},'required':['a'],'additionalProperties':false}"))
                .isEqualTo(new Struct(List.of(Field.required("a", FieldType.TEXT))));
    }

    @Test
    void parse_nullInAnyForm_isOptional() {
        for (String schema : List.of(
                "{'type':['string','null']}",
                "{'type':'string'}",
                "{'anyOf':[{'type':'string'},{'type':'null'}]}",
                "{'oneOf':[{'type':'null'},{'$ref':'#/$defs/t'}]}")) {
            String required = schema.equals("{'type':'string'}") ? "" : "'v'";
            Struct struct = struct("{'type':'object','properties':{'v':" + schema + "},'required':[" + required
                    + "],'$defs':{'t':{'type':'string'}}}");
            assertThat(struct.fields()).containsExactly(Field.optional("v", FieldType.TEXT));
        }
        assertThat(type("{'enum':['A',null]}")).isEqualTo(new Symbols(List.of("A")));
    }

    @Test
    void parse_references_areResolved() {
        Struct struct = struct("{'$ref':'#/definitions/Ride~1v1%20x','definitions':{'Ride/v1 x':{'type':'object',"
                + "'properties':{'a':{'$ref':'#/definitions/T'},'b':{'$ref':'#/definitions/T','default':'x'}}},"
                + "'T':{'type':'string','default':'y'}}}");
        assertThat(struct.fields())
                .containsExactly(
                        new Field("a", FieldType.TEXT, false, "y".getBytes(UTF_8)),
                        new Field("b", FieldType.TEXT, false, "x".getBytes(UTF_8)));
    }

    @Test
    void parse_recursion_isRecursive() {
        Struct struct = struct("{'type':'object','properties':{'a':{'type':'array','items':{'$ref':'#'}},"
                + "'n':{'$ref':'#/$defs/Node'}},'$defs':{'Node':{'type':'object','properties':{"
                + "'next':{'anyOf':[{'$ref':'#/$defs/Node'},{'type':'null'}]},'id':{'type':'integer'}}}}}");
        assertThat(struct.fields().get(0).type()).isEqualTo(new ListOf(new Recursive("#"), true));
        assertThat(struct.fields().get(1).type())
                .isEqualTo(new Struct(
                        List.of(Field.optional("next", new Recursive("Node")), Field.optional("id", FieldType.INT64))));
    }

    @Test
    void read_selectedBesideRecursion_skipsIt() {
        JsonSchema schema = JsonSchema.parse(
                "{'type':'object','properties':{'id':{'type':'integer'},'next':{'$ref':'#'}},'required':['next']}"
                        .replace('\'', '"'),
                "rides.json");
        Selection selection = new Selection(List.of(new Selection.Column("id", List.of("id"))));
        JsonReader reader = schema.reader(Translation.of(schema.struct(), selection), Limits.DEFAULT);
        byte[] message = "{\"next\":{\"next\":{\"id\":2}},\"id\":1}".getBytes(UTF_8);
        NaiveRows rows = new NaiveRows();
        reader.read(message, 0, message.length, rows);
        assertThat(rows.row()).isEqualTo(Map.of(0, 1L));
    }

    @Test
    void parse_defaults_areConvertedLikeValues() {
        assertThat(field("{'type':'integer','default':12.0}").absent()).isEqualTo(12L);
        assertThat(field("{'type':'boolean','default':false}").absent()).isEqualTo(false);
        assertThat(field("{'type':'number','default':1}").absent()).isEqualTo(1.0);
        assertThat(field("{'type':'string','default':'a\\n\\\\'}").absent()).isEqualTo("a\n\\".getBytes(UTF_8));
        assertThat(field("{'type':'string','format':'date','default':'1970-01-02'}")
                        .absent())
                .isEqualTo(1L);
        assertThat(field("{'type':'integer','x-unit':'s','default':1}").absent())
                .isEqualTo(1_000_000L);
        assertThat(field("{'type':'number','format':'decimal','x-precision':3,'x-scale':1,'default':1.5}")
                        .absent())
                .isEqualTo(new byte[] {15});
        assertThat(field("{'type':['string','null'],'default':null}").absent()).isNull();
        assertThat(field("{'type':'array','items':{'type':'string'},'default':[]}")
                        .absent())
                .isEqualTo(List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'allOf':[{}]} | #/properties/v/allOf: allOf is not supported; write one object",
                "{'type':'object','patternProperties':{}} | #/properties/v/patternProperties: ",
                "{'type':'object'} | #/properties/v: an object must have properties",
                "{'type':'object','properties':{'a/b':{}}} | #/properties/v/properties/a~1b/type: the type is missing",
                "{'type':['string','integer']} | #/properties/v/type: several types [string, integer]",
                "{'type':'null'} | #/properties/v/type: the type is missing",
                "{'type':'float'} | #/properties/v/type: 'float' must be one of",
                "{'type':'array'} | #/properties/v: an array must have items",
                "{'type':'array','items':[{'type':'string'}]} | #/properties/v/items: a tuple",
                "{'type':'array','prefixItems':[]} | #/properties/v/prefixItems: ",
                "{'type':'array','items':true} | #/properties/v/items: a schema that allows or forbids everything",
                "true | #/properties/v: a schema that allows or forbids everything",
                "{'anyOf':[{'type':'string'},{'type':'integer'}]} | #/properties/v/anyOf: only one schema",
                "{'anyOf':[{'type':'null'}]} | #/properties/v/anyOf: only one schema",
                "{'anyOf':[{'type':'string'}],'type':'string'} | #/properties/v/type: type cannot be beside anyOf",
                "{'enum':[1,'a']} | #/properties/v/type: the type is missing",
                "{'$ref':'other.json#/a'} | #/properties/v/$ref: 'other.json#/a' is not in this file",
                "{'$ref':'#/$defs/a/b'} | #/properties/v/$ref: '#/$defs/a/b' is not there; '$defs' is missing",
                "{'$ref':'#/%2'} | #/properties/v/$ref: '%2' has a %",
                "{'$ref':'#/$defs/'} | #/properties/v/$ref: '#/$defs/' is not there; '$defs' is missing",
                "{'type':'number','format':'decimal','x-precision':39,'x-scale':0} | #/properties/v: a decimal must have",
                "{'$ref':7} | #/properties/v/$ref: $ref must be a string",
                "{'type':'string','x-unit':'s'} | #/properties/v/x-unit: x-unit is for integers",
                "{'type':'integer','x-unit':'h'} | #/properties/v/x-unit: x-unit must be s, ms or us",
                "{'type':'number','format':'decimal'} | #/properties/v/x-precision: a decimal needs",
                "{'type':'number','x-scale':1} | #/properties/v: x-precision and x-scale are for decimals",
                "{'type':'integer','format':'decimal'} | #/properties/v/format: a decimal is a string or a number",
                "{'type':'string','contentEncoding':'base16'} | #/properties/v/contentEncoding: 'base16'",
                "{'type':'integer','default':'a'} | #/properties/v/default: the default does not fit: 'default' must be",
                "{'type':'array','items':{'type':'string'},'default':['a']} | #/properties/v/default: only scalars",
                "{'type':'object','properties':{'a':{'type':'string'}},'required':['b']} | #/properties/v/required: 'b'",
                "{'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':{'type':'string'}} "
                        + "| #/properties/v/additionalProperties: an object has either"
            })
    void parse_unsupported_namesThePointerAndWhatToDo(String schema, String expected) {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> type(schema))
                .withMessageStartingWith("rides.json" + expected.strip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'string'} | rides.json#: the root must be an object",
                "{'type':['object','null'],'properties':{'a':{'type':'string'}}} | rides.json#: the root must be",
                "{'$ref':'#'} | rides.json#: the root must be",
                "{'a':1,'a':2} | cannot read schema rides.json: it is not JSON at line 1, column 11: a key is there twice",
                "{} {} | cannot read schema rides.json: text follows",
                "{ | cannot read schema rides.json: it is not JSON at line 1",
                "`` | cannot read schema rides.json: it is empty"
            })
    void parse_badRoot_isRefused(String schema, String expected) {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> struct(schema))
                .withMessageStartingWith(expected);
    }

    @Test
    void parse_referencesThatMultiply_areRefused() {
        StringBuilder schema = new StringBuilder("{'$ref':'#/$defs/a0','$defs':{");
        for (int i = 0; i < 40; i++) {
            String next = "{'$ref':'#/$defs/a" + (i + 1) + "'}";
            schema.append("'a" + i + "':{'type':'object','properties':{'x':" + next + ",'y':" + next + "}},");
        }
        schema.append("'a40':{'type':'string'}}}");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> struct(schema.toString()))
                .withMessageContaining("more than 20000 parts");
    }

    @Test
    void of_file_readsItOrSaysWhyNot(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("rides.json");
        Files.writeString(file, "\uFEFF{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}");
        assertThat(JsonSchema.of(file).struct().names()).containsExactly("a");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> JsonSchema.of(folder.resolve("other.json")))
                .withMessageContaining("other.json");
        Files.write(file, new byte[] {'"', (byte) 0xFF, '"'});
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> JsonSchema.of(file))
                .withMessageContaining("not UTF-8");
    }

    @Test
    void schema_serialized_isTheSame() throws IOException, ClassNotFoundException {
        JsonSchema schema = JsonSchema.parse(
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"default\":\"x\"}}}", "rides.json");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(schema);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(((JsonSchema) in.readObject()).struct()).isEqualTo(schema.struct());
        }
    }
}
