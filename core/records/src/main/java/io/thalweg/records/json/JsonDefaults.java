package io.thalweg.records.json;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts the defaults of a schema by reading each as if it came from a message. */
final class JsonDefaults {
    private static final String NAME = "default";

    private JsonDefaults() {}

    /**
     * Returns the value that a writer would receive, or an empty list.
     *
     * @throws SchemaException if the default is not of the type, or an object or array with elements
     */
    static @Nullable Object value(JsonType type, JsonTree tree, String at) {
        if (isEmpty(type, tree)) {
            return List.of();
        }
        if (tree instanceof JsonTree.Null) {
            return null;
        }
        if (!type.parts().isEmpty() || tree instanceof JsonTree.Arr || tree instanceof JsonTree.Obj) {
            throw new SchemaException(
                    at + ": only scalars, empty arrays and empty maps can be defaults; remove 'default'");
        }
        Struct struct = new Struct(List.of(Field.required(NAME, type.type())));
        Translation translation = Translation.of(struct, Selection.ALL);
        JsonType root = new JsonType(struct, Spelling.STRUCT, List.of(type));
        byte[] message = ("{\"" + NAME + "\":" + JsonTreeText.of(tree) + "}").getBytes(StandardCharsets.UTF_8);
        Captured captured = new Captured();
        try {
            new JsonReader(root, translation, Limits.DEFAULT).read(message, 0, message.length, captured);
        } catch (BadRecordException e) {
            throw new SchemaException(at + ": the default does not fit: " + e.detail(), e);
        }
        return captured.value;
    }

    private static boolean isEmpty(JsonType type, JsonTree tree) {
        if (type.spelling() == Spelling.LIST) {
            return tree instanceof JsonTree.Arr array && array.elements().isEmpty();
        }
        return type.spelling() == Spelling.MAP
                && tree instanceof JsonTree.Obj object
                && object.members().isEmpty();
    }

    /** Keeps the one value that is written. */
    private static final class Captured implements RecordWriter {
        private @Nullable Object value;

        @Override
        public void bool(int slot, boolean read) {
            value = read;
        }

        @Override
        public void int64(int slot, long read) {
            value = read;
        }

        @Override
        public void float64(int slot, double read) {
            value = read;
        }

        @Override
        public void bytes(int slot, byte[] data, int from, int length) {
            value = Arrays.copyOfRange(data, from, from + length);
        }

        @Override
        public void absent(int slot) {}

        @Override
        public void beginStruct(int slot) {}

        @Override
        public void endStruct(int slot) {}

        @Override
        public void beginList(int slot) {}

        @Override
        public void endList(int slot) {}

        @Override
        public void beginMap(int slot) {}

        @Override
        public void endMap(int slot) {}
    }
}
