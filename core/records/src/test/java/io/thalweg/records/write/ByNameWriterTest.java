package io.thalweg.records.write;

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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ByNameWriterTest {
    private static final int RECORDS = 20;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_fieldsInAnotherOrderAndMoreOfThem_areFoundByName(long seed) throws Exception {
        Random random = new Random(seed);
        Struct rows = RandomSchemas.next(random, true);
        Struct messages = shuffled(random, rows);
        ByteRecordWriter byName = ByNameWriter.of(rows, messages, new AvroBytes(messages));
        AvroBytes direct = new AvroBytes(messages);
        RandomRecords records = new RandomRecords(random);
        for (int i = 0; i < RECORDS; i++) {
            List<@Nullable Object> record = records.struct(rows);
            assertThat(bytes(rows, record, byName, random))
                    .isEqualTo(bytes(messages, permuted(rows, messages, record), direct, null));
        }
    }

    private static byte[] bytes(
            Struct schema, List<@Nullable Object> record, ByteRecordWriter writer, @Nullable Random shuffle) {
        writer.begin();
        Tree.play(schema, record, writer, shuffle);
        writer.end();
        return Arrays.copyOfRange(writer.data(), writer.from(), writer.to());
    }

    /** Returns the same fields in another order, with optional ones between them. */
    private static Struct shuffled(Random random, Struct struct) {
        List<Field> fields = new ArrayList<>();
        for (Field field : struct.fields()) {
            fields.add(new Field(field.name(), shuffled(random, field.type()), field.required(), null));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            fields.add(Field.optional("more" + i, i == 1 ? struct(FieldType.INT64) : FieldType.TEXT));
        }
        Collections.shuffle(fields, random);
        return new Struct(fields);
    }

    private static FieldType shuffled(Random random, FieldType type) {
        if (type instanceof Struct struct) {
            return shuffled(random, struct);
        }
        if (type instanceof ListOf list) {
            return new ListOf(shuffled(random, list.element()), list.elementsRequired());
        }
        return type instanceof MapOf map
                ? new MapOf(map.key(), shuffled(random, map.value()), map.valuesRequired())
                : type;
    }

    /** Returns the same record as arranged by a naive twin. */
    private static List<@Nullable Object> permuted(Struct rows, Struct messages, List<@Nullable Object> record) {
        List<@Nullable Object> fields = new ArrayList<>();
        for (Field field : messages.fields()) {
            int index = rows.indexOf(field.name());
            fields.add(index < 0 ? null : permuted(rows.fields().get(index).type(), field.type(), record.get(index)));
        }
        return fields;
    }

    @SuppressWarnings("unchecked")
    private static @Nullable Object permuted(FieldType row, FieldType message, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (row instanceof Struct struct) {
            return permuted(struct, (Struct) message, (List<@Nullable Object>) value);
        }
        if (row instanceof ListOf list) {
            List<@Nullable Object> elements = new ArrayList<>();
            for (Object element : (List<@Nullable Object>) value) {
                elements.add(permuted(list.element(), ((ListOf) message).element(), element));
            }
            return elements;
        }
        if (row instanceof MapOf map) {
            List<@Nullable Object> entries = new ArrayList<>();
            for (Object entry : (List<@Nullable Object>) value) {
                List<@Nullable Object> pair = (List<@Nullable Object>) entry;
                entries.add(Arrays.asList(pair.get(0), permuted(map.value(), ((MapOf) message).value(), pair.get(1))));
            }
            return entries;
        }
        return value;
    }

    private static Struct struct(FieldType type) {
        return new Struct(List.of(Field.required("v", type)));
    }

    @Test
    void of_sameSchema_isTheWriterItself() {
        Struct schema = struct(FieldType.INT64);
        AvroBytes writer = new AvroBytes(schema);
        assertThat(ByNameWriter.of(schema, schema, writer)).isSameAs(writer);
    }

    @Test
    void of_typesThatHoldMore_areTaken() {
        for (FieldType[] pair : new FieldType[][] {
            {FieldType.INT8, FieldType.INT64},
            {FieldType.FLOAT, FieldType.DOUBLE},
            {new Decimal(10, 2), new Decimal(12, 2)},
            {new Symbols(List.of("A")), FieldType.TEXT},
            {new Symbols(List.of("A")), new Symbols(List.of("B", "A"))},
            {new ListOf(FieldType.INT32, true), new ListOf(FieldType.INT64, false)}
        }) {
            assertThat(ByNameWriter.of(struct(pair[0]), struct(pair[1]), new AvroBytes(struct(pair[1]))))
                    .isNotNull();
        }
    }

    @Test
    void of_schemaThatDiffers_listsAllDifferences() {
        Struct rows = new Struct(List.of(
                Field.required("id", FieldType.INT64),
                Field.required("city", FieldType.TEXT),
                Field.optional("fare", FieldType.DOUBLE),
                Field.required("status", new Symbols(List.of("A", "B"))),
                Field.required("rider", struct(new Decimal(4, 2))),
                Field.required("stops", new ListOf(FieldType.TEXT, false))));
        Struct schema = new Struct(List.of(
                Field.required("id", FieldType.INT32),
                Field.required("fare", FieldType.DOUBLE),
                Field.required("status", new Symbols(List.of("A"))),
                Field.required("rider", struct(new Decimal(4, 1))),
                Field.required("stops", new ListOf(FieldType.TEXT, true)),
                Field.required("at", FieldType.TIMESTAMP)));

        assertThatThrownBy(() -> ByNameWriter.of(rows, schema, new AvroBytes(schema)))
                .isInstanceOf(SchemaException.class)
                .hasMessageContainingAll(
                        "column 'id' is int32 in the schema, but int64 is written",
                        "column 'city' is not in the schema",
                        "column 'fare' is required by the schema, but may be missing",
                        "column 'status' is one of [A] in the schema, but one of [A, B] is written",
                        "column 'rider.v' is decimal(4, 1) in the schema, but decimal(4, 2) is written",
                        "column 'stops' may contain null, which the schema does not allow",
                        "column 'at' is required by the schema, but is not written");
    }
}
