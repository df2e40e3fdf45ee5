package io.thalweg.jobs.ingest;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.formats.DeadLetter;
import io.thalweg.records.BadRecordException;
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

    /**
     * Where a message comes from.
     *
     * @param source a topic or a file
     * @param partition of the topic, or {@link RawRecords#NO_PARTITION}
     * @param position of its record in the partition or file
     * @param index of the message in its record, from 0
     */
    record Origin(String source, int partition, long position, long index) {
        static Origin of(RawRecords records, int i, long index) {
            return new Origin(records.source(), records.partition(), records.position(i), index);
        }

        private void writeTo(JsonGenerator json) throws IOException {
            json.writeStringField("source", source);
            if (partition != RawRecords.NO_PARTITION) {
                json.writeNumberField("partition", partition);
            }
            json.writeNumberField("offset", position);
            json.writeNumberField("index", index);
        }
    }

    /** The steps of a message on its way. */
    enum Stage {
        /** Finding records in the source and messages in records. */
        ENVELOPE,
        /** Reading a message. */
        DECODE,
        /** The function of the user. */
        TRANSFORM
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
            origin.writeTo(json);
            raw.writeTo(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return out.toByteArray();
    }
}
