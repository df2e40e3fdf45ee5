package io.thalweg.bench.ingest;

import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowShape;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.Struct;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows as maps of objects by name, with moments as text, as Google's {@code TableRow} holds them. */
final class ObjectMaps {
    private ObjectMaps() {}

    /** The fields of a row that have values. */
    static Map<String, Object> map(Row row) {
        Map<String, Object> map = new HashMap<>();
        List<String> names = row.shape().names();
        for (int i = 0; i < names.size(); i++) {
            Object value = row.at(i);
            if (value != null) {
                map.put(names.get(i), outwards(value));
            }
        }
        return map;
    }

    private static Object outwards(Object value) {
        if (value instanceof Row row) {
            return map(row);
        }
        if (value instanceof List<?> list) {
            List<Object> elements = new ArrayList<>(list.size());
            list.forEach(each -> elements.add(outwards(each)));
            return elements;
        }
        return value instanceof Instant ? value.toString() : value;
    }

    /** The row of a map. */
    static Row row(Map<?, ?> map, Struct struct, RowShape shape) {
        Row row = new Row(shape);
        for (Field field : struct.fields()) {
            Object value = map.get(field.name());
            if (value != null) {
                row.set(field.name(), inwards(value, field.type(), field.name(), shape));
            }
        }
        return row;
    }

    private static @Nullable Object inwards(Object value, FieldType type, String name, RowShape around) {
        if (type instanceof Struct struct) {
            return row((Map<?, ?>) value, struct, around.within(name));
        }
        if (type instanceof ListOf list) {
            List<@Nullable Object> elements = new ArrayList<>();
            for (Object each : (List<?>) value) {
                elements.add(inwards(each, list.element(), name, around));
            }
            return elements;
        }
        return type instanceof Timestamp ? Instant.parse((String) value) : value;
    }
}
