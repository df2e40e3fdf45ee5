package io.thalweg.server.read;

import io.thalweg.api.v1.DoubleColumn;
import io.thalweg.api.v1.DoubleListColumn;
import io.thalweg.api.v1.FeatureColumn;
import io.thalweg.api.v1.Int64Column;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.RowColumns;
import io.thalweg.api.v1.TextColumn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes an answer as the message {@code ReadFeaturesResponse} with columns. The bytes of a column are those of a packed field, so they
 * are written as they are.
 */
final class GrpcColumns {
    /** The wire type of all fields here. */
    private static final int LENGTH_DELIMITED = 2;

    private GrpcColumns() {}

    /** A field with the bytes of its content, whose number is at most 15. */
    private record Field(int number, int bytes, Consumer<ByteBuffer> write) {
        static Field of(int number, AnswerColumn.Content content) {
            return new Field(number, content.bytes(), content.write());
        }

        static Field of(int number, Field... fields) {
            return of(number, List.of(fields));
        }

        static Field of(int number, List<Field> fields) {
            int bytes = 0;
            for (Field field : fields) {
                bytes = Math.addExact(bytes, field.size());
            }
            return new Field(number, bytes, out -> fields.forEach(field -> field.writeTo(out)));
        }

        /** The bytes of the whole field. */
        int size() {
            return Math.addExact(1 + varintBytes(bytes), bytes);
        }

        void writeTo(ByteBuffer out) {
            out.put((byte) (number << 3 | LENGTH_DELIMITED));
            int left = bytes;
            for (; left >= 0x80; left >>>= 7) {
                out.put((byte) (left | 0x80));
            }
            out.put((byte) left);
            write.accept(out);
        }

        private static int varintBytes(int value) {
            return (Integer.SIZE + 6 - Integer.numberOfLeadingZeros(value | 1)) / 7;
        }
    }

    static byte[] bytes(ReadAnswer answer) {
        byte[] head = GrpcMessages.head(answer).toByteArray();
        List<Field> fields = new ArrayList<>();
        List<AnswerColumn> states = AnswerColumns.states(answer);
        for (int i = 0; i < states.size(); i++) {
            fields.add(
                    Field.of(RowColumns.STATUSES_FIELD_NUMBER + i, states.get(i).values()));
        }
        for (AnswerColumn column : AnswerColumns.features(answer)) {
            fields.add(Field.of(RowColumns.FEATURES_FIELD_NUMBER, feature(column)));
        }
        Field columns = Field.of(ReadFeaturesResponse.COLUMNS_FIELD_NUMBER, fields);
        ByteBuffer out =
                ByteBuffer.allocate(Math.addExact(head.length, columns.size())).order(ByteOrder.LITTLE_ENDIAN);
        columns.writeTo(out.put(head));
        return out.array();
    }

    private static Field feature(AnswerColumn column) {
        AnswerColumn.Content lengths = column.lengths();
        AnswerColumn.Content values = column.values();
        if (lengths == null) {
            return column.type() == AnswerColumn.Type.F64
                    ? Field.of(FeatureColumn.DOUBLES_FIELD_NUMBER, Field.of(DoubleColumn.VALUES_FIELD_NUMBER, values))
                    : Field.of(FeatureColumn.INT64S_FIELD_NUMBER, Field.of(Int64Column.VALUES_FIELD_NUMBER, values));
        }
        return column.type() == AnswerColumn.Type.TEXT
                ? Field.of(
                        FeatureColumn.TEXTS_FIELD_NUMBER,
                        Field.of(TextColumn.LENGTHS_FIELD_NUMBER, lengths),
                        Field.of(TextColumn.UTF8_FIELD_NUMBER, values))
                : Field.of(
                        FeatureColumn.DOUBLE_LISTS_FIELD_NUMBER,
                        Field.of(DoubleListColumn.LENGTHS_FIELD_NUMBER, lengths),
                        Field.of(DoubleListColumn.ELEMENTS_FIELD_NUMBER, values));
    }
}
