package io.thalweg.server.read;

import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.Columns;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answers to reads as {@link Columns}: one column for each feature, of the narrowest type that has all its values. Keys are
 * not repeated: rows are in the order of the request.
 */
public final class ColumnAnswers {
    /** The length of a text or list that is missing. */
    private static final int NONE = -1;

    /** Stands for the bytes of a text that is missing. */
    private static final byte[] NOTHING = {};

    private ColumnAnswers() {}

    public static byte[] answer(ReadAnswer answer) {
        List<ReadAnswer.Row> rows = answer.rows();
        Columns columns = new Columns(rows.size());
        columns.add(
                "status",
                "u8",
                1,
                (out, row) -> out.put(GrpcMessages.number(rows.get(row).status())));
        columns.add(
                "finality",
                "u8",
                1,
                (out, row) -> out.put(GrpcMessages.number(rows.get(row).finality())));
        columns.add(
                "window_end",
                "i64",
                Long.BYTES,
                (out, row) -> out.putLong(orNone(rows.get(row).windowEndMs())));
        columns.add(
                "age_ms",
                "i64",
                Long.BYTES,
                (out, row) -> out.putLong(orNone(rows.get(row).ageMs())));
        for (int f = 0; f < answer.features().size(); f++) {
            Readers.requireWanted();
            add(columns, answer.features().get(f), rows, f);
        }
        return columns.answer(
                out -> {
                    out.writeStringField("view", answer.view());
                    AnswerJson.time(out, "watermark", answer.watermarkMs());
                    out.writeArrayFieldStart("features");
                    for (String feature : answer.features()) {
                        out.writeString(feature);
                    }
                    out.writeEndArray();
                },
                Readers::requireWanted);
    }

    private static long orNone(OptionalLong ms) {
        return ms.orElse(ReadOutcome.NONE);
    }

    private static void add(Columns columns, String feature, List<ReadAnswer.Row> rows, int f) {
        switch (kind(rows, f)) {
            case DOUBLES ->
                columns.add(
                        feature,
                        "f64",
                        Double.BYTES,
                        (out, row) -> out.putDouble(decimal(rows.get(row).values(), f)));
            case LONGS ->
                columns.add(
                        feature,
                        "i64",
                        Long.BYTES,
                        (out, row) -> out.putLong(
                                value(rows.get(row), f) instanceof Long number ? number : ReadOutcome.NONE));
            case LISTS -> columns.add(feature, "f64[]", lists(rows, f));
            case TEXTS -> columns.add(feature, "text", texts(rows, f));
        }
    }

    private enum Kind {
        DOUBLES,
        LONGS,
        LISTS,
        TEXTS
    }

    /** Returns the kind that has all values of a feature. */
    private static Kind kind(List<ReadAnswer.Row> rows, int f) {
        Kind kind = null;
        for (ReadAnswer.Row row : rows) {
            Kind each = row.values() instanceof DoubleValues ? Kind.DOUBLES : kind(value(row, f));
            if (each != null && kind != null && each != kind) {
                return Kind.TEXTS;
            }
            kind = each == null ? kind : each;
        }
        return kind == null ? Kind.DOUBLES : kind;
    }

    private static @Nullable Kind kind(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Double) {
            return Kind.DOUBLES;
        }
        if (value instanceof List<?>) {
            return Kind.LISTS;
        }
        return value instanceof Long number && number != ReadOutcome.NONE ? Kind.LONGS : Kind.TEXTS;
    }

    private static @Nullable Object value(ReadAnswer.Row row, int f) {
        List<@Nullable Object> values = row.values();
        return values == null ? null : values.get(f);
    }

    private static double decimal(@Nullable List<@Nullable Object> values, int f) {
        if (values instanceof DoubleValues decimals) {
            return decimals.at(f);
        }
        return values != null && values.get(f) instanceof Double decimal ? decimal : Double.NaN;
    }

    /** Returns the length of each text in bytes, then all texts in UTF-8. */
    private static byte[] texts(List<ReadAnswer.Row> rows, int f) {
        byte[][] texts = new byte[rows.size()][];
        int bytes = rows.size() * Integer.BYTES;
        for (int row = 0; row < texts.length; row++) {
            Object value = value(rows.get(row), f);
            texts[row] = value == null ? NOTHING : value.toString().getBytes(StandardCharsets.UTF_8);
            bytes = Math.addExact(bytes, texts[row].length);
        }
        ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (byte[] text : texts) {
            out.putInt(text == NOTHING ? NONE : text.length);
        }
        for (byte[] text : texts) {
            out.put(text);
        }
        return out.array();
    }

    /** Returns the length of each list, then, from the next multiple of 8 bytes on, all elements. */
    private static byte[] lists(List<ReadAnswer.Row> rows, int f) {
        int begin = (rows.size() * Integer.BYTES + Double.BYTES - 1) / Double.BYTES * Double.BYTES;
        int elements = 0;
        for (ReadAnswer.Row row : rows) {
            elements = Math.addExact(elements, value(row, f) instanceof List<?> list ? list.size() : 0);
        }
        ByteBuffer out = ByteBuffer.allocate(Math.addExact(begin, Math.multiplyExact(elements, Double.BYTES)))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (ReadAnswer.Row row : rows) {
            out.putInt(value(row, f) instanceof List<?> list ? list.size() : NONE);
        }
        out.position(begin);
        for (ReadAnswer.Row row : rows) {
            if (value(row, f) instanceof List<?> list) {
                list.forEach(element -> out.putDouble((Double) element));
            }
        }
        return out.array();
    }
}
