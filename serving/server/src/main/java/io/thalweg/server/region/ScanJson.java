package io.thalweg.server.region;

import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.read.JsonRows;
import io.thalweg.server.read.Readers;
import java.io.IOException;
import java.util.Map;

/** Writes the answers to scans as JSON. */
final class ScanJson {
    private ScanJson() {}

    static byte[] of(ScanAnswer answer) {
        return AnswerJson.bytes(out -> {
            head(answer, out);
            JsonRows rows = new JsonRows(out);
            out.writeArrayFieldStart("rows");
            for (int row = 0; row < answer.rows().size(); row++) {
                Readers.requireWanted();
                if (answer.rows().isAggregated()) {
                    aggregated(answer, row, rows, out);
                } else {
                    rows.row(answer.row(row), answer.features().size());
                }
            }
            out.writeEndArray();
        });
    }

    /** Writes the fields before the rows of a scan, in any form of its answer. */
    static void head(ScanAnswer answer, JsonGenerator out) throws IOException {
        out.writeStringField("view", answer.view().qualifiedName());
        AnswerJson.time(out, "watermark", answer.watermarkMs());
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
        new JsonRows(out).state(answer.rest().status(), answer.restFinality(), answer.restEndMs(), answer.restAgeMs());
        out.writeEndObject();
    }

    private static void aggregated(ScanAnswer answer, int row, JsonRows rows, JsonGenerator out) throws IOException {
        out.writeStartObject();
        rows.entities(answer.entities(row));
        out.writeNumberField("cells", answer.rows().counted(row));
        out.writeNumberField("present", answer.rows().present(row));
        out.writeArrayFieldStart("values");
        rows.values(answer.values(row), answer.features().size());
        out.writeEndArray();
        out.writeEndObject();
    }
}
