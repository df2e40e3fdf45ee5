package io.thalweg.server.read;

import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.Columns;
import java.nio.ByteBuffer;

/** Writes the answers to reads as {@link Columns}. */
public final class ColumnAnswers {
    private ColumnAnswers() {}

    public static byte[] answer(ReadAnswer answer) {
        Columns columns = new Columns(answer.rows().size());
        AnswerColumns.states(answer).forEach(column -> add(columns, column));
        AnswerColumns.features(answer).forEach(column -> add(columns, column));
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

    /** Adds a column. Lengths come first; after them, lists begin at a multiple of 8 bytes. */
    private static void add(Columns columns, AnswerColumn column) {
        AnswerColumn.Content lengths = column.lengths();
        AnswerColumn.Content values = column.values();
        if (lengths == null) {
            columns.add(column.name(), column.type().label(), values.bytes(), values.write());
            return;
        }
        boolean isList = column.type() == AnswerColumn.Type.F64_LIST;
        int begin = isList ? Columns.aligned(lengths.bytes()) : lengths.bytes();
        columns.add(column.name(), column.type().label(), Math.addExact(begin, values.bytes()), out -> {
            int from = out.position();
            lengths.write().accept(out);
            ByteBuffer unused = out.position(from + begin);
            values.write().accept(out);
        });
    }
}
