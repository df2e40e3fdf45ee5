package io.thalweg.server.region;

import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.server.http.Columns;
import io.thalweg.server.read.GrpcMessages;
import io.thalweg.server.read.JsonRows;
import io.thalweg.server.read.Readers;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Writes the answer to a scan as {@link Columns}. */
final class ColumnsAnswer {
    private ColumnsAnswer() {}

    static byte[] of(ScanAnswer answer) {
        ScanRows rows = answer.rows();
        Columns columns = new Columns(rows.size());
        columns.add("cell", "u64", Long.BYTES, (out, row) -> out.putLong(rows.cell(row)));
        columns.add("group", "u32", Integer.BYTES, (out, row) -> out.putInt(rows.group(row)));
        if (rows.isAggregated()) {
            columns.add("cells", "u32", Integer.BYTES, (out, row) -> out.putInt(rows.counted(row)));
            columns.add("present", "u32", Integer.BYTES, (out, row) -> out.putInt(rows.present(row)));
        } else {
            columns.add("status", "u8", 1, (out, row) -> out.put(GrpcMessages.number(rows.status(row))));
            columns.add("finality", "u8", 1, (out, row) -> out.put(GrpcMessages.number(rows.finality(row))));
            columns.add("window_end", "i64", Long.BYTES, (out, row) -> out.putLong(rows.endMs(row)));
        }
        for (int i = 0; i < answer.features().size(); i++) {
            int feature = i;
            columns.add(
                    answer.features().get(i),
                    "f64",
                    Double.BYTES,
                    (out, row) -> out.putDouble(rows.value(row, feature)));
        }
        return columns.answer(out -> head(answer, out), Readers::requireWanted);
    }

    private static void head(ScanAnswer answer, JsonGenerator out) throws IOException {
        ScanJson.head(answer, out);
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
    }
}
