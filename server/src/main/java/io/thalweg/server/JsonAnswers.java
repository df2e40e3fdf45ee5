package io.thalweg.server;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import io.thalweg.model.Entity;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.server.Refusal.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Writes the bodies of answers: names in snake_case, zeros included, times as RFC 3339 UTC. */
final class JsonAnswers {
    private static final long EXACT_MAX = 1L << 53;
    private static final int ERROR_BYTES_MAX = 16 << 10;
    /** The JDK's conversion of doubles to text would take most of an answer's time. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .build();

    private final JsonGenerator out;

    private JsonAnswers(JsonGenerator out) {
        this.out = out;
    }

    private interface Body {
        void write(JsonAnswers json) throws IOException;
    }

    /** Writes the fields of an answer's object. */
    interface Fields {
        void write(JsonGenerator out) throws IOException;
    }

    private static byte[] bytes(Body body) {
        return object(out -> body.write(new JsonAnswers(out)));
    }

    /** Returns an answer: an object and a line feed. */
    static byte[] object(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            out.writeStartObject();
            fields.write(out);
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }

    static byte[] answer(ReadAnswer answer) {
        return bytes(json -> {
            json.out.writeStringField("view", answer.view());
            json.time("watermark", answer.watermarkMs());
            json.out.writeArrayFieldStart("features");
            for (String feature : answer.features()) {
                json.out.writeString(feature);
            }
            json.out.writeEndArray();
            json.out.writeArrayFieldStart("rows");
            for (ReadAnswer.Row row : answer.rows()) {
                Readers.requireWanted();
                json.row(row, answer.features().size());
            }
            json.out.writeEndArray();
        });
    }

    static byte[] scan(ScanAnswer answer) {
        return bytes(json -> {
            scanHead(answer, json.out);
            json.out.writeArrayFieldStart("rows");
            for (int row = 0; row < answer.rows().size(); row++) {
                Readers.requireWanted();
                if (answer.rows().isAggregated()) {
                    json.aggregated(answer, row);
                } else {
                    json.row(answer.row(row), answer.features().size());
                }
            }
            json.out.writeEndArray();
        });
    }

    /** Writes the fields before the rows of a scan, in any form of its answer. */
    static void scanHead(ScanAnswer answer, JsonGenerator out) throws IOException {
        JsonAnswers json = new JsonAnswers(out);
        out.writeStringField("view", answer.view().qualifiedName());
        json.time("watermark", answer.watermarkMs());
        out.writeArrayFieldStart("features");
        for (String feature : answer.features()) {
            out.writeString(feature);
        }
        out.writeEndArray();
        out.writeNumberField("cells", answer.cells());
        out.writeNumberField("keys", answer.keys());
        out.writeObjectFieldStart("counts");
        for (Map.Entry<ReadStatus, Long> count : answer.counts().entrySet()) {
            out.writeNumberField(count.getKey().name(), count.getValue());
        }
        out.writeEndObject();
        out.writeObjectFieldStart("rest");
        json.state(answer.rest().status(), answer.restFinality(), answer.restEndMs(), answer.restAgeMs());
        out.writeEndObject();
    }

    private void aggregated(ScanAnswer answer, int row) throws IOException {
        out.writeStartObject();
        entities(answer.entities(row));
        out.writeNumberField("cells", answer.rows().counted(row));
        out.writeNumberField("present", answer.rows().present(row));
        out.writeArrayFieldStart("values");
        values(answer.values(row), answer.features().size());
        out.writeEndArray();
        out.writeEndObject();
    }

    private void row(ReadAnswer.Row row, int features) throws IOException {
        out.writeStartObject();
        entities(row.entities());
        state(row.status(), row.finality(), row.windowEndMs(), row.ageMs());
        out.writeArrayFieldStart("values");
        values(row.values(), features);
        out.writeEndArray();
        out.writeEndObject();
    }

    private void entities(Map<String, Object> entities) throws IOException {
        out.writeObjectFieldStart("entities");
        for (Map.Entry<String, Object> entity : entities.entrySet()) {
            out.writeFieldName(entity.getKey());
            entity(entity.getValue(), out);
        }
        out.writeEndObject();
    }

    private void state(ReadStatus status, @Nullable Finality finality, OptionalLong endMs, OptionalLong ageMs)
            throws IOException {
        out.writeStringField("status", status.name());
        out.writeStringField("finality", finality == null ? null : finality.name());
        time("window_end", endMs);
        number("age_ms", ageMs);
    }

    /** Writes the value of an entity. */
    static void entity(Object value, JsonGenerator out) throws IOException {
        if (value instanceof Boolean bool) {
            out.writeBoolean(bool);
        } else if (value instanceof Long number && isExact(number)) {
            out.writeNumber(number);
        } else {
            out.writeString(value.toString());
        }
    }

    private void values(@Nullable List<@Nullable Object> values, int features) throws IOException {
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

    static byte[] views(List<FeatureView> views, FeatureReader reader) {
        return bytes(json -> {
            json.out.writeArrayFieldStart("views");
            for (FeatureView view : views) {
                json.out.writeStartObject();
                json.describe(view, reader.watermark(view));
                json.out.writeEndObject();
            }
            json.out.writeEndArray();
        });
    }

    static byte[] view(FeatureView view, OptionalLong watermarkMs) {
        return bytes(json -> json.describe(view, watermarkMs));
    }

    private void describe(FeatureView view, OptionalLong watermarkMs) throws IOException {
        out.writeStringField("name", view.qualifiedName());
        out.writeStringField("description", view.description());
        out.writeArrayFieldStart("entities");
        for (Entity entity : view.entities()) {
            out.writeStartObject();
            out.writeStringField("name", entity.name());
            out.writeStringField("type", typeOf(entity));
            if (entity instanceof Entity.Cell cell) {
                out.writeNumberField("resolution", cell.resolution());
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeArrayFieldStart("features");
        List<String> names = view.featureNames();
        List<String> types = view.featureTypes();
        for (int i = 0; i < names.size(); i++) {
            out.writeStartObject();
            out.writeStringField("name", names.get(i));
            out.writeStringField("type", types.get(i));
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeStringField("ttl", view.online().ttl().text());
        DurationText history = view.online().history();
        out.writeStringField("history", history == null ? null : history.text());
        time("watermark", watermarkMs);
    }

    /** Returns {@code h3}, or the type as written in a definition. */
    static String typeOf(Entity entity) {
        return entity instanceof Entity.Field field ? field.type().text() : "h3";
    }

    static byte[] readiness(Readiness.Report report) {
        return bytes(json -> {
            json.out.writeStringField("status", report.isReady() ? "OK" : "NOT_READY");
            json.out.writeStringField("job", report.job().orElse(null));
            json.out.writeObjectFieldStart("views");
            for (Map.Entry<String, Readiness.ViewState> view : report.views().entrySet()) {
                json.out.writeObjectFieldStart(view.getKey());
                json.out.writeBooleanField("ready", view.getValue().reason() == null);
                json.out.writeStringField("reason", view.getValue().reason());
                json.time("watermark", view.getValue().watermarkMs());
                json.number("watermark_age_ms", view.getValue().ageMs());
                json.out.writeEndObject();
            }
            json.out.writeEndObject();
        });
    }

    /** Returns an error of at most {@value #ERROR_BYTES_MAX} bytes; details that do not fit are left out. */
    static byte[] error(int http, String status, String message, List<Problem> problems) {
        byte[] whole = errorWith(http, status, message, problems);
        return whole.length <= ERROR_BYTES_MAX ? whole : errorWith(http, status, message, List.of());
    }

    private static byte[] errorWith(int http, String status, String message, List<Problem> problems) {
        return bytes(json -> {
            json.out.writeObjectFieldStart("error");
            json.out.writeNumberField("code", http);
            json.out.writeStringField("status", status);
            json.out.writeStringField("message", message);
            json.out.writeArrayFieldStart("details");
            for (Problem problem : problems) {
                json.out.writeStartObject();
                json.out.writeStringField("path", problem.path());
                json.out.writeStringField("message", problem.message());
                json.out.writeEndObject();
            }
            json.out.writeEndArray();
            json.out.writeEndObject();
        });
    }

    private void time(String name, OptionalLong ms) throws IOException {
        out.writeStringField(
                name, ms.isPresent() ? Instant.ofEpochMilli(ms.getAsLong()).toString() : null);
    }

    private void number(String name, OptionalLong number) throws IOException {
        out.writeFieldName(name);
        if (number.isPresent()) {
            out.writeNumber(number.getAsLong());
        } else {
            out.writeNull();
        }
    }
}
