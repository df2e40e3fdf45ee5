package io.thalweg.server.read;

import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.server.http.AnswerJson;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Writes the rows of answers as JSON: names in snake_case, zeros included, times as RFC 3339 UTC. */
public final class JsonRows {
    private static final long EXACT_MAX = 1L << 53;

    private final JsonGenerator out;

    public JsonRows(JsonGenerator out) {
        this.out = out;
    }

    public void row(ReadAnswer.Row row, int features) throws IOException {
        out.writeStartObject();
        entities(row.entities());
        state(row.status(), row.finality(), row.windowEndMs(), row.ageMs());
        out.writeArrayFieldStart("values");
        values(row.values(), features);
        out.writeEndArray();
        out.writeEndObject();
    }

    /** Writes the entities of a key. */
    public void entities(Map<String, Object> entities) throws IOException {
        out.writeObjectFieldStart("entities");
        for (Map.Entry<String, Object> entity : entities.entrySet()) {
            out.writeFieldName(entity.getKey());
            entity(entity.getValue(), out);
        }
        out.writeEndObject();
    }

    /** Writes the outcome of a read. */
    public void state(ReadStatus status, @Nullable Finality finality, OptionalLong endMs, OptionalLong ageMs)
            throws IOException {
        out.writeStringField("status", status.name());
        out.writeStringField("finality", finality == null ? null : finality.name());
        AnswerJson.time(out, "window_end", endMs);
        AnswerJson.number(out, "age_ms", ageMs);
    }

    /** Writes the value of an entity. */
    public static void entity(Object value, JsonGenerator out) throws IOException {
        if (value instanceof Boolean bool) {
            out.writeBoolean(bool);
        } else if (value instanceof Long number && isExact(number)) {
            out.writeNumber(number);
        } else {
            out.writeString(value.toString());
        }
    }

    /** Writes one value per feature; a missing value is null. */
    public void values(@Nullable List<@Nullable Object> values, int features) throws IOException {
        if (values instanceof DoubleValues decimals) {
            for (int i = 0; i < features; i++) {
                out.writeNumber(decimals.at(i));
            }
        } else {
            for (int i = 0; i < features; i++) {
                value(values == null ? null : values.get(i));
            }
        }
    }

    /** Writes a value; numbers that JSON or its readers cannot represent become text. */
    private void value(@Nullable Object value) throws IOException {
        if (value == null) {
            out.writeNull();
        } else if (value instanceof List<?> list) {
            out.writeStartArray();
            for (Object element : list) {
                value(element);
            }
            out.writeEndArray();
        } else if (value instanceof Double decimal && Double.isFinite(decimal)) {
            out.writeNumber(decimal);
        } else if (value instanceof Long number && isExact(number)) {
            out.writeNumber(number);
        } else {
            out.writeString(value.toString());
        }
    }

    private static boolean isExact(long number) {
        return number >= -EXACT_MAX && number <= EXACT_MAX;
    }
}
