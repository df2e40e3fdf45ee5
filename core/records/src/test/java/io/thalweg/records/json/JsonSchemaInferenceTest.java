package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.thalweg.records.Limits;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schemas that are inferred from samples. */
class JsonSchemaInferenceTest {
    private static JsonSchemaInference.Inferred infer(String... documents) {
        JsonSchemaInference inference = new JsonSchemaInference();
        for (int i = 0; i < documents.length; i++) {
            inference.add(documents[i].replace('\'', '"'), "line " + (i + 1));
        }
        return inference.infer();
    }

    private static Struct struct(JsonSchemaInference.Inferred inferred) {
        return JsonSchema.parse(inferred.schema(), "inferred.json").struct();
    }

    private static FieldType typeOf(String... values) {
        String[] documents = new String[values.length];
        for (int i = 0; i < values.length; i++) {
            documents[i] = "{'v':" + values[i] + "}";
        }
        return struct(infer(documents)).fields().get(0).type();
    }

    @Test
    void infer_scalars_haveTheNarrowestTypeOfAll() {
        assertThat(typeOf("1", "-9223372036854775808")).isEqualTo(FieldType.INT64);
        assertThat(typeOf("1", "1.5")).isEqualTo(FieldType.DOUBLE);
        assertThat(typeOf("1e3")).isEqualTo(FieldType.DOUBLE);
        assertThat(typeOf("true", "false")).isEqualTo(FieldType.BOOL);
        assertThat(typeOf("'a'")).isEqualTo(FieldType.TEXT);
        assertThat(typeOf("'2026-11-23T10:00:00Z'", "'2026-11-23T10:00:00.5+01:00'"))
                .isEqualTo(FieldType.TIMESTAMP);
        assertThat(typeOf("'2026-11-23T10:00:00Z'", "'2026-11-23'")).isEqualTo(FieldType.TEXT);
        assertThat(typeOf("'2026-11-23'")).isEqualTo(FieldType.DATE);
        assertThat(typeOf("'6f1c2f5e-8a3b-4c47-9d0e-1b2a3c4d5e6f'")).isEqualTo(FieldType.UUID);
        assertThat(typeOf("[1,null]", "[]")).isEqualTo(new ListOf(FieldType.INT64, false));
    }

    @Test
    void infer_nestedObjects_areRequiredWhereAlwaysThere() {
        Struct struct = struct(infer(
                "{'b':{'x':1,'y':'a'},'a':1,'n':null}",
                "{'a':null,'b':{'x':2}}",
                "{'b':{'x':3},'a':2,'n':'t','late':true}"));
        assertThat(struct)
                .isEqualTo(new Struct(List.of(
                        Field.required(
                                "b",
                                new Struct(List.of(
                                        Field.required("x", FieldType.INT64), Field.optional("y", FieldType.TEXT)))),
                        Field.optional("a", FieldType.INT64),
                        Field.optional("n", FieldType.TEXT),
                        Field.optional("late", FieldType.BOOL))));
    }

    @Test
    void infer_manyNames_areAMap() {
        String[] documents = new String[101];
        for (int i = 0; i < documents.length; i++) {
            documents[i] = "{'m':{'k" + i + "':{'x':" + i + ",'y':[" + i + "]}},'f" + i + "':1}";
        }
        Struct value = new Struct(
                List.of(Field.required("x", FieldType.INT64), Field.required("y", new ListOf(FieldType.INT64, true))));
        Struct struct = struct(infer(documents));
        assertThat(struct.fields().get(0).type()).isEqualTo(new MapOf(FieldType.TEXT, value, true));
        assertThat(struct.fields()).hasSize(102);
        documents[100] = documents[99];
        assertThat(struct(infer(documents)).fields().get(0).type()).isInstanceOf(Struct.class);
    }

    @Test
    void infer_severalTypes_isAConflict() {
        JsonSchemaInference.Inferred inferred =
                infer("{'a':{'id':1},'b':1}", "{'a':{'id':'x'},'b':2,'l':[1,'a']}", "{'a':{'id':2},'b':3}");
        assertThat(struct(inferred).names()).containsExactly("b");
        assertThat(inferred.conflicts())
                .containsExactly(
                        "'a.id': values have several types, integer in 2 (first in line 1), string in 1 (first in line 2); "
                                + "make the producer send one, or write the type to keep, which makes the others bad events",
                        "'l[]': values have several types, integer in 1 (first in line 2), string in 1 (first in line 2); "
                                + "make the producer send one, or write the type to keep, which makes the others bad events");
    }

    @Test
    void infer_nothingToTell_isListed() {
        JsonSchemaInference.Inferred inferred =
                infer("{'a':1,'n':null,'l':[],'o':{},'i':18446744073709551615,'d':1e999}");
        assertThat(struct(inferred).names()).containsExactly("a");
        assertThat(inferred.conflicts())
                .hasSize(5)
                .anyMatch(conflict -> conflict.startsWith("'n': all values are null"))
                .anyMatch(conflict -> conflict.startsWith("'l[]': there are no values"))
                .anyMatch(conflict -> conflict.startsWith("'o': all objects are empty"))
                .anyMatch(conflict -> conflict.startsWith("'i': a number in line 1 does not fit"))
                .anyMatch(conflict -> conflict.startsWith("'d': a number in line 1 does not fit"));
    }

    @Test
    void infer_schema_isPretty() {
        assertThat(infer("{'a':1,'o':{'x':'y'},'l':[null,1.5]}").schema()).isEqualTo("""
                        {
                          "$schema": "https://json-schema.org/draft/2020-12/schema",
                          "type": "object",
                          "properties": {
                            "a": {"type": "integer"},
                            "o": {
                              "type": "object",
                              "properties": {
                                "x": {"type": "string"}
                              },
                              "required": ["x"]
                            },
                            "l": {
                              "type": "array",
                              "items": {"type": ["number", "null"]}
                            }
                          },
                          "required": ["a", "o", "l"]
                        }
                        """);
    }

    @Test
    void infer_withoutTypes_isRefused() {
        for (String document : List.of("{}", "{'a':null}")) {
            assertThatExceptionOfType(SchemaException.class).isThrownBy(() -> infer(document));
        }
    }

    @Test
    void add_notAnObject_namesTheDocument() {
        for (String document : List.of("[]", "{", "", "{'a':1,'a':2}", "{} {}", "[".repeat(10_000))) {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> infer("{}", document))
                    .withMessageStartingWith("cannot read line 2: ");
        }
    }

    @Test
    void infer_examples_readsWhatItWasInferredFrom() throws IOException {
        List<String> lines = Files.readAllLines(Checkout.file("examples/rider-events.jsonl"));
        JsonSchemaInference inference = new JsonSchemaInference();
        for (int i = 0; i < lines.size(); i++) {
            inference.add(lines.get(i), "line " + (i + 1));
        }
        JsonSchemaInference.Inferred inferred = inference.infer();
        assertThat(inferred.conflicts()).isEmpty();
        JsonSchema schema = JsonSchema.parse(inferred.schema(), "inferred.json");
        JsonReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
        for (String line : lines) {
            byte[] message = line.getBytes(UTF_8);
            NaiveRows rows = new NaiveRows();
            reader.read(message, 0, message.length, rows);
            assertThat(rows.calls)
                    .isGreaterThanOrEqualTo(schema.struct().fields().size());
        }
    }
}
