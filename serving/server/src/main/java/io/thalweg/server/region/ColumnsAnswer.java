package io.thalweg.server.region;

import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.read.GrpcMessages;
import io.thalweg.server.read.JsonRows;
import io.thalweg.server.read.Readers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes the answer to a scan as columns of numbers, specified in {@code docs/reference/http.md}: a header in JSON, then one column
 * after the other, little-endian, each at a multiple of 8 bytes.
 */
final class ColumnsAnswer {
    static final String TYPE = "application/vnd.thalweg.columns";

    private static final int ALIGNED = 8;

    private final ScanAnswer answer;
    private final ScanRows rows;
    private final List<Column> columns = new ArrayList<>();

    /** Writes the value of a row. */
    private interface Cell {
        void put(ByteBuffer out, int row);
    }

    private record Column(String name, String type, int bytes, Cell cell) {
        int size(int rows) {
            return aligned(rows * bytes);
        }
    }

    private ColumnsAnswer(ScanAnswer answer) {
        this.answer = answer;
        this.rows = answer.rows();
        columns.add(new Column("cell", "u64", Long.BYTES, (out, row) -> out.putLong(rows.cell(row))));
        columns.add(new Column("group", "u32", Integer.BYTES, (out, row) -> out.putInt(rows.group(row))));
        if (rows.isAggregated()) {
            columns.add(new Column("cells", "u32", Integer.BYTES, (out, row) -> out.putInt(rows.counted(row))));
            columns.add(new Column("present", "u32", Integer.BYTES, (out, row) -> out.putInt(rows.present(row))));
        } else {
            columns.add(new Column(
                    "status",
                    "u8",
                    1,
                    (out, row) ->
                            out.put((byte) GrpcMessages.status(rows.status(row)).getNumber())));
            columns.add(new Column(
                    "finality",
                    "u8",
                    1,
                    (out, row) -> out.put(
                            (byte) GrpcMessages.finality(rows.finality(row)).getNumber())));
            columns.add(new Column("window_end", "i64", Long.BYTES, (out, row) -> out.putLong(rows.endMs(row))));
        }
        for (int i = 0; i < answer.features().size(); i++) {
            int feature = i;
            columns.add(new Column(
                    answer.features().get(i),
                    "f64",
                    Double.BYTES,
                    (out, row) -> out.putDouble(rows.value(row, feature))));
        }
    }

    static byte[] of(ScanAnswer answer) {
        return new ColumnsAnswer(answer).bytes();
    }

    private byte[] bytes() {
        byte[] header = AnswerJson.bytes(this::header);
        int begin = aligned(Integer.BYTES + header.length);
        int size = begin;
        for (Column column : columns) {
            size = Math.addExact(size, column.size(rows.size()));
        }
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(header.length).put(header);
        int at = begin;
        for (Column column : columns) {
            Readers.requireWanted();
            out.position(at);
            for (int row = 0; row < rows.size(); row++) {
                column.cell().put(out, row);
            }
            at += column.size(rows.size());
        }
        return out.array();
    }

    private void header(JsonGenerator out) throws IOException {
        ScanJson.head(answer, out);
        out.writeNumberField("row_count", rows.size());
        out.writeArrayFieldStart("groups");
        for (List<Object> group : answer.groups()) {
            out.writeStartObject();
            for (Map.Entry<String, Object> value : answer.group(group).entrySet()) {
                out.writeFieldName(value.getKey());
                JsonRows.entity(value.getValue(), out);
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeArrayFieldStart("columns");
        int offset = 0;
        for (Column column : columns) {
            out.writeStartObject();
            out.writeStringField("name", column.name());
            out.writeStringField("type", column.type());
            out.writeNumberField("offset", offset);
            out.writeEndObject();
            offset += column.size(rows.size());
        }
        out.writeEndArray();
    }

    private static int aligned(int bytes) {
        return Math.addExact(bytes, ALIGNED - 1) / ALIGNED * ALIGNED;
    }
}
