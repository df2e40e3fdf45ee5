package io.thalweg.server.read;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.model.row.DoubleValues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes an answer as the message {@code ReadFeaturesResponse} with rows. Rows are the last field of the answer, and values the last field
 * of a row. Everything before them is written as messages. Doubles are written directly as the bytes of their messages: creating
 * an object for each of the thousands in an answer takes longer than reading them from the store.
 */
final class GrpcRows {
    private static final int DOUBLE_BYTES =
            CodedOutputStream.computeDoubleSize(FeatureValue.DOUBLE_VALUE_FIELD_NUMBER, 0);
    private static final int VALUE_BYTES = CodedOutputStream.computeTagSize(FeatureRow.VALUES_FIELD_NUMBER)
            + CodedOutputStream.computeUInt32SizeNoTag(DOUBLE_BYTES)
            + DOUBLE_BYTES;

    private GrpcRows() {}

    /** A row without its values if they are doubles; any other row as a whole. */
    private record Part(FeatureRow message, ReadAnswer.Row row) {
        static Part of(ReadAnswer.Row row, int features) {
            FeatureRow.Builder message = GrpcMessages.head(row);
            return new Part(
                    (row.values() instanceof DoubleValues
                                    ? message
                                    : GrpcMessages.addValues(message, row.values(), features))
                            .build(),
                    row);
        }

        int size() {
            int values = row.values() instanceof DoubleValues decimals ? decimals.size() : 0;
            return message.getSerializedSize() + values * VALUE_BYTES;
        }

        void writeTo(CodedOutputStream out) throws IOException {
            message.writeTo(out);
            if (row.values() instanceof DoubleValues decimals) {
                for (int i = 0; i < decimals.size(); i++) {
                    out.writeTag(FeatureRow.VALUES_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                    out.writeUInt32NoTag(DOUBLE_BYTES);
                    out.writeDouble(FeatureValue.DOUBLE_VALUE_FIELD_NUMBER, decimals.at(i));
                }
            }
        }
    }

    static byte[] bytes(ReadAnswer answer) {
        ReadFeaturesResponse head = GrpcMessages.head(answer);
        int size = head.getSerializedSize();
        List<Part> parts = new ArrayList<>(answer.rows().size());
        for (ReadAnswer.Row row : answer.rows()) {
            Part part = Part.of(row, answer.features().size());
            parts.add(part);
            size += CodedOutputStream.computeTagSize(ReadFeaturesResponse.ROWS_FIELD_NUMBER)
                    + CodedOutputStream.computeUInt32SizeNoTag(part.size())
                    + part.size();
        }
        byte[] bytes = new byte[size];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            head.writeTo(out);
            for (Part part : parts) {
                out.writeTag(ReadFeaturesResponse.ROWS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                out.writeUInt32NoTag(part.size());
                part.writeTo(out);
            }
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes;
    }
}
