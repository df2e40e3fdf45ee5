package io.thalweg.records.schema;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field of a struct.
 *
 * @param name the name in the format's schema
 * @param required whether a message without the field is bad
 * @param absent the default of a message without the field: {@code null} for no value, otherwise a {@code Boolean}, {@code Long},
 *     {@code Double} or {@code byte[]} as readers report it, or an empty list for an empty list or map
 */
public record Field(
        String name,
        FieldType type,
        boolean required,
        @Nullable Object absent) implements Serializable {
    public Field {
        if (absent instanceof List<?> list && !list.isEmpty()) {
            throw new SchemaException("field '" + name + "': the default of a list or map must be empty");
        }
    }

    /** Creates a field without which a message is bad. */
    public static Field required(String name, FieldType type) {
        return new Field(name, type, true, null);
    }

    /** Creates a field that a message may omit. */
    public static Field optional(String name, FieldType type) {
        return new Field(name, type, false, null);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Field that
                && name.equals(that.name)
                && type.equals(that.type)
                && required == that.required
                && Objects.deepEquals(absent, that.absent);
    }

    @Override
    public int hashCode() {
        int ofDefault = absent instanceof byte[] bytes ? Arrays.hashCode(bytes) : Objects.hashCode(absent);
        return 31 * Objects.hash(name, type, required) + ofDefault;
    }
}
