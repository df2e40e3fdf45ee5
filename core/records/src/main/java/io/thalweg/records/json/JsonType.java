package io.thalweg.records.json;

import io.thalweg.records.schema.FieldType;
import java.io.Serializable;
import java.util.List;

/**
 * A type of the neutral schema, with the notation of its values.
 *
 * @param parts of a struct: its fields, in order; of a list: its element; of a map: its value
 */
record JsonType(FieldType type, Spelling spelling, List<JsonType> parts) implements Serializable {
    JsonType {
        parts = List.copyOf(parts);
    }

    static JsonType scalar(FieldType.Scalar type, Spelling spelling) {
        return new JsonType(type, spelling, List.of());
    }
}
