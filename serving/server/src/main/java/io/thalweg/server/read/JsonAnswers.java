package io.thalweg.server.read;

import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.server.http.AnswerJson;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/** Writes the bodies of the answers to reads and of the descriptions of views. */
public final class JsonAnswers {
    private JsonAnswers() {}

    public static byte[] answer(ReadAnswer answer) {
        return AnswerJson.bytes(out -> {
            out.writeStringField("view", answer.view());
            AnswerJson.time(out, "watermark", answer.watermarkMs());
            out.writeArrayFieldStart("features");
            for (String feature : answer.features()) {
                out.writeString(feature);
            }
            out.writeEndArray();
            JsonRows rows = new JsonRows(out);
            out.writeArrayFieldStart("rows");
            for (ReadAnswer.Row row : answer.rows()) {
                Readers.requireWanted();
                rows.row(row, answer.features().size());
            }
            out.writeEndArray();
        });
    }

    public static byte[] views(List<FeatureView> views, FeatureReader reader) {
        return AnswerJson.bytes(out -> {
            out.writeArrayFieldStart("views");
            for (FeatureView view : views) {
                out.writeStartObject();
                describe(out, view, reader.watermark(view));
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }

    public static byte[] view(FeatureView view, OptionalLong watermarkMs) {
        return AnswerJson.bytes(out -> describe(out, view, watermarkMs));
    }

    private static void describe(JsonGenerator out, FeatureView view, OptionalLong watermarkMs) throws IOException {
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
        AnswerJson.time(out, "watermark", watermarkMs);
    }

    /** Returns {@code h3}, or the type as written in a definition. */
    public static String typeOf(Entity entity) {
        return entity instanceof Entity.Field field ? field.type().text() : "h3";
    }
}
