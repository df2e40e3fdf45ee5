package io.thalweg.formats;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.model.field.FieldPath;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A plain implementation of {@link ProjectionWriter}: the fields become a JSON document, which the full JSON parser reads. For
 * recounts and tests, which must not depend on the writer that they check.
 */
final class NaiveRecordWriter implements RecordWriter {
    private static final JsonFactory JSON = new JsonFactory();

    private final StreamedJson parser;
    private final List<FieldPath> paths;
    private final Map<Integer, Integer> fieldOfSlot = new HashMap<>();
    private final List<FieldType> types = new ArrayList<>();
    private Map<String, Object> document = new LinkedHashMap<>();
    private int depth;

    NaiveRecordWriter(Projection projection, Struct target) {
        parser = new StreamedJson(JsonField.treeOf(projection));
        paths = projection.paths().stream()
                .filter(path -> !path.isRecordField())
                .toList();
        int slot = 0;
        for (Field field : target.fields()) {
            fieldOfSlot.put(slot, types.size());
            types.add(field.type());
            slot += FieldType.slots(field.type());
        }
    }

    RecordWriter begin() {
        document = new LinkedHashMap<>();
        depth = 0;
        return this;
    }

    /** Reads the document into the last event; returns what is wrong with it, or null. */
    @Nullable
    String end(EventColumns into) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            write(json, document);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        byte[] text = out.toByteArray();
        return parser.read(text, 0, text.length, into);
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Map<?, ?> members) {
            json.writeStartObject();
            for (Map.Entry<?, ?> member : members.entrySet()) {
                json.writeFieldName(String.valueOf(member.getKey()));
                write(json, member.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof String text) {
            json.writeString(text);
        } else if (value instanceof Boolean bool) {
            json.writeBoolean(bool);
        } else {
            json.writeNumber(value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString());
        }
    }

    private void put(int slot, Object value) {
        Integer field = depth == 0 ? fieldOfSlot.get(slot) : null;
        if (field != null) {
            put(document, paths.get(field).segments(), value);
        }
    }

    @SuppressWarnings("unchecked") // only maps of this type are stored
    private static void put(Map<String, Object> into, List<String> path, Object value) {
        String name = path.get(0);
        if (path.size() > 1) {
            Object inner = into.computeIfAbsent(name, each -> new LinkedHashMap<String, Object>());
            put((Map<String, Object>) inner, path.subList(1, path.size()), value);
        } else if (!(value instanceof Map)) {
            into.put(name, value);
        } else {
            into.putIfAbsent(name, value);
        }
    }

    @Override
    public void bool(int slot, boolean value) {
        put(slot, value);
    }

    @Override
    public void int64(int slot, long value) {
        put(slot, value);
    }

    @Override
    public void float64(int slot, double value) {
        put(slot, Double.isFinite(value) ? value : Double.toString(value));
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        if (depth == 0 && fieldOfSlot.containsKey(slot)) {
            byte[] value = Arrays.copyOfRange(data, from, from + length);
            put(slot, value(types.get(fieldOfSlot.get(slot)), value));
        }
    }

    private static Object value(FieldType type, byte[] value) {
        if (type instanceof FieldType.Uuid) {
            ByteBuffer bits = ByteBuffer.wrap(value);
            return new UUID(bits.getLong(), bits.getLong()).toString();
        }
        if (type instanceof FieldType.Decimal decimal) {
            return new BigDecimal(new BigInteger(value), decimal.scale());
        }
        return type instanceof FieldType.Bytes
                ? new LinkedHashMap<String, Object>()
                : new String(value, StandardCharsets.UTF_8);
    }

    @Override
    public void absent(int slot) {
        // The document omits absent fields.
    }

    private void enter(int slot) {
        put(slot, new LinkedHashMap<String, Object>());
        depth++;
    }

    @Override
    public void beginStruct(int slot) {
        enter(slot);
    }

    @Override
    public void endStruct(int slot) {
        depth--;
    }

    @Override
    public void beginList(int slot) {
        enter(slot);
    }

    @Override
    public void endList(int slot) {
        depth--;
    }

    @Override
    public void beginMap(int slot) {
        enter(slot);
    }

    @Override
    public void endMap(int slot) {
        depth--;
    }
}
