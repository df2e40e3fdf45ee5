package io.thalweg.jobs.ingest.deadletters;

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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter: a message that could not be ingested.
 *
 * @param ingest qualified name
 * @param stage the stage that failed
 * @param origin where the message comes from
 * @param content the bad message or record
 * @param attempts how often the message was tried
 * @param time when the letter was created
 */
public record IngestDeadLetter(
        String ingest,
        Stage stage,
        BadRecordException why,
        Origin origin,
        Content content,
        int attempts,
        Instant time) {
    /** The member that holds the compression named by the record itself. */
    static final String CODEC = "codec";

    private static final JsonFactory JSON = new JsonFactory();

    public static Origin origin(RawRecords records, int i, long index) {
        return new Origin(records.source(), records.partition(), records.position(i), index, records.id(i));
    }

    private void writeOrigin(JsonGenerator json) throws IOException {
        json.writeStringField("source", origin.source());
        if (origin.partition() != RawRecords.NO_PARTITION) {
            json.writeNumberField("partition", origin.partition());
        }
        if (origin.id() == null) {
            json.writeNumberField("offset", origin.position());
        } else {
            json.writeStringField("message_id", origin.id());
        }
        json.writeNumberField("index", origin.index());
    }

    /**
     * The content of a letter.
     *
     * @param raw the record if no message was found in it; otherwise the message, or the rest of an opened record
     * @param codec the compression that the record itself names; null if it does not
     * @param replayable whether the message can be read without its context; false for objects of Avro containers and for the rest
     *     of a file whose frames are damaged
     * @param attributes the attributes of the record
     */
    public record Content(
            DeadLetter.Raw raw, @Nullable String codec, boolean replayable, RecordAttributes attributes) {}

    /** The stages that a message passes through. */
    public enum Stage {
        /** Finding records in the source and messages in records. */
        ENVELOPE,
        /** Reading a message. */
        DECODE,
        /** Calling the user function. */
        TRANSFORM,
        /** Writing its row. */
        SINK;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** The name in letters. */
        String text() {
            return text;
        }

        static @Nullable Stage named(String text) {
            for (Stage stage : values()) {
                if (stage.text.equals(text)) {
                    return stage;
                }
            }
            return null;
        }
    }

    /**
     * Returns one JSON object without a line end, in UTF-8: {@code ingest, stage, reason, detail, time, attempts, source,
     * partition} (of topics){@code , offset} (of subscriptions {@code message_id}){@code , index, replayable} (if it is not){@code ,
     * codec} (if the record names it){@code , key, key_encoding, timestamp, headers} (of topics, see {@link RecordAttributes}){@code , raw,
     * raw_encoding, raw_bytes, truncated}.
     */
    public byte[] toJson() {
        ByteArrayOutputStream out =
                new ByteArrayOutputStream(content.raw().text().length() + 512);
        try (JsonGenerator json = JSON.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringField("ingest", ingest);
            json.writeStringField("stage", stage.text());
            json.writeStringField("reason", why.fault().reason());
            json.writeStringField("detail", why.detail());
            json.writeStringField("time", time.truncatedTo(ChronoUnit.MILLIS).toString());
            json.writeNumberField("attempts", attempts);
            writeOrigin(json);
            if (!content.replayable()) {
                json.writeBooleanField("replayable", false);
            }
            if (content.codec() != null) {
                json.writeStringField(CODEC, content.codec());
            }
            content.attributes().bounded().writeTo(json);
            content.raw().writeTo(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return out.toByteArray();
    }
}
