package io.thalweg.server.feast;

import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.server.feast.FeastAnswer.Cell;
import io.thalweg.server.feast.FeastAnswer.Column;
import io.thalweg.server.http.AnswerJson;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes an answer as Feast's feature server does: values that JSON cannot represent are text. */
public final class FeastJson {
    private FeastJson() {}

    public static byte[] answer(FeastAnswer answer) {
        // Formatting a time is slow, and hundreds of values share one.
        Map<Long, String> times = new HashMap<>();
        return AnswerJson.bytes(out -> {
            out.writeObjectFieldStart("metadata");
            out.writeArrayFieldStart("feature_names");
            for (Column column : answer.columns()) {
                out.writeString(column.name());
            }
            out.writeEndArray();
            out.writeEndObject();
            out.writeArrayFieldStart("results");
            for (Column column : answer.columns()) {
                column(column.cells(), times, out);
            }
            out.writeEndArray();
            out.writeBooleanField("status", true);
        });
    }

    private static void column(List<Cell> cells, Map<Long, String> times, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeArrayFieldStart("values");
        for (Cell cell : cells) {
            value(cell.value(), out);
        }
        out.writeEndArray();
        out.writeArrayFieldStart("statuses");
        for (Cell cell : cells) {
            out.writeString(cell.status().name());
        }
        out.writeEndArray();
        out.writeArrayFieldStart("event_timestamps");
        for (Cell cell : cells) {
            out.writeString(times.computeIfAbsent(
                    cell.windowEndMs().orElse(0), ms -> Instant.ofEpochMilli(ms).toString()));
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static void value(@Nullable Object value, JsonGenerator out) throws IOException {
        if (value == null) {
            out.writeNull();
        } else if (value instanceof List<?> list) {
            out.writeStartArray();
            for (Object element : list) {
                value(element, out);
            }
            out.writeEndArray();
        } else if (value instanceof Boolean bool) {
            out.writeBoolean(bool);
        } else if (value instanceof Long number) {
            out.writeNumber(number);
        } else if (value instanceof BigInteger number) {
            out.writeNumber(number);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            out.writeNumber(number);
        } else if (value instanceof Float number && Float.isFinite(number)) {
            out.writeNumber(number);
        } else {
            out.writeString(value.toString());
        }
    }
}
