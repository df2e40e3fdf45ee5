package io.thalweg.records.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.JsonSchemas;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonSchemasTest {
    @Test
    void of_eachType_isParsedToTheSame() {
        Struct struct = new Struct(List.of(
                Field.required("bool", FieldType.BOOL),
                Field.optional("int8", FieldType.INT8),
                Field.required("int16", FieldType.INT16),
                Field.required("int32", FieldType.INT32),
                Field.optional("int64", FieldType.INT64),
                Field.required("float", FieldType.FLOAT),
                Field.required("double", FieldType.DOUBLE),
                Field.optional("text \"and\" é", FieldType.TEXT),
                Field.required("bytes", FieldType.BYTES),
                Field.required("uuid", FieldType.UUID),
                Field.required("date", FieldType.DATE),
                Field.required("time", FieldType.TIME),
                Field.required("timestamp", FieldType.TIMESTAMP),
                Field.required("symbols", new Symbols(List.of("A", "B"))),
                Field.required("decimal", new Decimal(12, 2)),
                Field.optional("list", new ListOf(new Struct(List.of(Field.optional("of", FieldType.TEXT))), false)),
                Field.required("map", new MapOf(FieldType.TEXT, new ListOf(FieldType.INT64, true), false))));

        assertThat(JsonSchema.parse(JsonSchemas.of(struct), "derived.json").struct())
                .isEqualTo(struct);
    }
}
