package io.thalweg.records.json;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.JsonLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The parts of a schema that writers need, by the path of a field. */
final class JsonSchemaLayout implements JsonLayout {
    private final Map<String, Spelling> spellings = new HashMap<>();

    JsonSchemaLayout(JsonType root) {
        fields("", root);
    }

    private void fields(String prefix, JsonType type) {
        List<Field> fields = ((Struct) type.type()).fields();
        for (int i = 0; i < fields.size(); i++) {
            type(prefix + fields.get(i).name(), type.parts().get(i));
        }
    }

    private void type(String path, JsonType type) {
        spellings.put(path, type.spelling());
        if (type.type() instanceof Struct) {
            fields(path + ".", type);
        } else {
            type.parts().forEach(part -> type(path, part));
        }
    }

    @Override
    public long unit(String path) {
        return switch (spellings.getOrDefault(path, Spelling.TEXT)) {
            case EPOCH_SECONDS -> 1_000_000;
            case EPOCH_MILLIS -> 1_000;
            case EPOCH_MICROS -> 1;
            default -> 0;
        };
    }

    @Override
    public boolean decimalIsNumber(String path) {
        return spellings.getOrDefault(path, Spelling.TEXT) == Spelling.DECIMAL;
    }
}
