package io.thalweg.jobs.ingest;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.warehouse.EncodedRows.Origin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;

/**
 * A message that could not be ingested.
 *
 * @param ingest qualified name
 * @param stage what failed
 * @param origin where it comes from
 */
record IngestLetter(String ingest, Stage stage, BadRecordException why, Origin origin, DeadLetter.Raw raw) {
    private static final JsonFactory JSON = new JsonFactory();

    static Origin origin(RawRecords records, int i, long index) {
        return new Origin(records.source(), records.partition(), records.position(i), index);
    }

    private void writeOrigin(JsonGenerator json) throws IOException {
        json.writeStringField("source", origin.source());
        if (origin.partition() != RawRecords.NO_PARTITION) {
            json.writeNumberField("partition", origin.partition());
        }
        json.writeNumberField("offset", origin.position());
        json.writeNumberField("index", origin.index());
    }

    /** The steps of a message on its way. */
    enum Stage {
        /** Finding records in the source and messages in records. */
        ENVELOPE,
        /** Reading a message. */
        DECODE,
        /** Writing its row. */
        SINK
    }

    /**
     * One JSON object without a line end, in UTF-8: {@code ingest, stage, reason, detail, source, partition} (of
     * topics){@code , offset, index, raw, raw_encoding, raw_bytes, truncated}.
     */
    byte[] toJson() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(raw.text().length() + 512);
        try (JsonGenerator json = JSON.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringField("ingest", ingest);
            json.writeStringField("stage", stage.name().toLowerCase(Locale.ROOT));
            json.writeStringField("reason", why.fault().reason());
            json.writeStringField("detail", why.detail());
            writeOrigin(json);
            raw.writeTo(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return out.toByteArray();
    }
}
