package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Schemas and messages with one member, {@code v}. */
final class OneMember {
    static final String TEXT = "{\"type\":\"string\"}";
    static final String INTEGER = "{\"type\":\"integer\"}";

    static JsonSchema schema(String type) {
        return JsonSchema.parse("{\"type\":\"object\",\"properties\":{\"v\":" + type + "}}", "test.json");
    }

    static Object row(JsonSchema schema, Selection selection, byte[] message) {
        NaiveRows rows = new NaiveRows();
        // The message is surrounded by other bytes, as in a fetched window.
        byte[] window = new byte[message.length + 20];
        Arrays.fill(window, (byte) '"');
        System.arraycopy(message, 0, window, 7, message.length);
        Translation translation = Translation.of(schema.struct(), selection);
        schema.reader(translation, Limits.DEFAULT).read(window, 7, 7 + message.length, rows);
        return rows.row();
    }

    static @Nullable Object value(String type, String value) {
        Object row = row(schema(type), Selection.ALL, ("{\"v\":" + value + "}").getBytes(UTF_8));
        return ((Map<?, ?>) row).get(0);
    }

    static RecordFault fault(String type, String value) {
        return bad(type, ("{\"v\":" + value + "}").getBytes(UTF_8)).fault();
    }

    static BadRecordException bad(String type, byte[] message) {
        return catchThrowableOfType(BadRecordException.class, () -> row(schema(type), Selection.ALL, message));
    }

    static String hex(String text) {
        return NaiveRows.hex(text.getBytes(UTF_8));
    }

    static String decimal(int precision, int scale) {
        return "{\"type\":\"number\",\"format\":\"decimal\",\"x-precision\":" + precision + ",\"x-scale\":" + scale
                + "}";
    }

    private OneMember() {}
}
