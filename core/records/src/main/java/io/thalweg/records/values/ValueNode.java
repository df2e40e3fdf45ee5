package io.thalweg.records.values;

import io.thalweg.records.RecordWriter;
import org.jspecify.annotations.Nullable;

/** A field, element, key or value of a schema. */
abstract class ValueNode {
    final int slot;
    final String path;

    ValueNode(int slot, String path) {
        this.slot = slot;
        this.path = path;
    }

    /**
     * Reports a value.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    abstract void write(Object value, RecordWriter writer);

    final void writeOrAbsent(@Nullable Object value, boolean required, RecordWriter writer) {
        if (value != null) {
            write(value, writer);
        } else if (required) {
            throw new IllegalArgumentException("'" + path + "' must have a value");
        } else {
            writer.absent(slot);
        }
    }

    final <T> T as(Class<T> wanted, String expected, Object value) {
        if (!wanted.isInstance(value)) {
            throw wrong(expected, "of class " + value.getClass().getSimpleName());
        }
        return wanted.cast(value);
    }

    final IllegalArgumentException wrong(String expected, Object found) {
        return new IllegalArgumentException("'%s' must be %s, was %s".formatted(path, expected, found));
    }
}
