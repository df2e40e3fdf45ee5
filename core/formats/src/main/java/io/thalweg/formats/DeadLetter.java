package io.thalweg.formats;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.records.Utf8;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * An event that was bad or late, for one view.
 *
 * @param view qualified name
 * @param detail names the field, the rule and the value
 * @param source topic or file
 * @param offset in its partition; for files, as counted by the reader
 * @param timeMs event time in epoch ms, if it was read
 * @param raw the event's bytes: as text if they are UTF-8 and at most a quarter of them control characters, which JSON writes in
 *     six bytes, otherwise in base64; cut at {@value #MAX_RAW_BYTES} bytes, text never inside a character. So a letter never
 *     exceeds the 1 MiB that Kafka accepts by default
 * @param rawIsText whether {@code raw} is the text itself; {@code raw_encoding} is {@code text} or {@code base64}
 * @param rawBytes the true length of the event in bytes
 * @param truncated whether {@code raw} was cut
 */
public record DeadLetter(
        String view,
        BadReason reason,
        String detail,
        String source,
        int partition,
        long offset,
        @Nullable Long timeMs,
        String raw,
        boolean rawIsText,
        long rawBytes,
        boolean truncated) {
    /** The maximum number of raw bytes that are kept. */
    public static final int MAX_RAW_BYTES = 256 * 1024;

    private static final JsonFactory JSON = new JsonFactory();

    /** Creates the dead letter of event {@code e}. */
    public static DeadLetter of(
            String view,
            BadReason reason,
            String detail,
            String source,
            EventColumns events,
            int e,
            @Nullable Long timeMs) {
        Raw raw = Raw.of(events.raw(e), events.rawOffset(e), events.rawLength(e), events.rawTotal(e));
        return new DeadLetter(
                view,
                reason,
                detail,
                source,
                events.partition(e),
                events.recordOffset(e),
                timeMs,
                raw.text(),
                raw.isText(),
                events.rawTotal(e),
                raw.truncated());
    }

    /**
     * The bytes that a letter keeps of an event.
     *
     * @param text the bytes as text or in base64
     * @param isText whether {@code text} is the bytes themselves
     * @param bytes the true length of the event
     * @param truncated whether bytes were cut off
     */
    public record Raw(String text, boolean isText, long bytes, boolean truncated) {
        /**
         * Encodes an event's bytes.
         *
         * @param kept bytes that are available
         * @param total the true length of the event
         */
        public static Raw of(byte[] data, int from, int kept, long total) {
            int length = Math.min(kept, MAX_RAW_BYTES);
            boolean truncated = length < total;
            int textLength = truncated ? length - Utf8.cutOffTail(data, from, length) : length;
            boolean isText = Utf8.firstMalformed(data, from, textLength) < 0
                    && controlCharacters(data, from, textLength) <= textLength / 4;
            String raw = isText
                    ? new String(data, from, textLength, StandardCharsets.UTF_8)
                    : new String(
                            Base64.getEncoder().encode(Arrays.copyOfRange(data, from, from + length)),
                            StandardCharsets.US_ASCII);
            return new Raw(raw, isText, total, truncated);
        }

        /** Writes the members {@code raw, raw_encoding, raw_bytes, truncated}. */
        public void writeTo(JsonGenerator json) throws IOException {
            json.writeStringField("raw", text);
            json.writeStringField("raw_encoding", isText ? "text" : "base64");
            json.writeNumberField("raw_bytes", bytes);
            json.writeBooleanField("truncated", truncated);
        }
    }

    /**
     * Encodes the letter of a row rather than an event, in the same form as {@link #toJson()}.
     *
     * @param reason as the letter names it
     * @param raw the row's bytes
     */
    public static byte[] ofRow(
            String view, String reason, String detail, String source, int partition, long offset, byte[] raw) {
        return json(view, reason, detail, source, partition, offset, null, Raw.of(raw, 0, raw.length, raw.length));
    }

    private static int controlCharacters(byte[] data, int from, int length) {
        int count = 0;
        for (int at = from; at < from + length; at++) {
            count += data[at] >= 0 && data[at] < ' ' ? 1 : 0;
        }
        return count;
    }

    /**
     * Encodes the letter as one JSON object without a line end, in UTF-8: {@code view, reason, detail, source, partition, offset,
     * time} (RFC 3339 or null){@code , raw, raw_encoding, raw_bytes, truncated}.
     */
    public byte[] toJson() {
        return json(
                view,
                reason.text(),
                detail,
                source,
                partition,
                offset,
                timeMs,
                new Raw(raw, rawIsText, rawBytes, truncated));
    }

    private static byte[] json(
            String view,
            String reason,
            String detail,
            String source,
            int partition,
            long offset,
            @Nullable Long timeMs,
            Raw raw) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(raw.text().length() + 512);
        try (JsonGenerator json = JSON.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringField("view", view);
            json.writeStringField("reason", reason);
            json.writeStringField("detail", detail);
            json.writeStringField("source", source);
            json.writeNumberField("partition", partition);
            json.writeNumberField("offset", offset);
            if (timeMs == null) {
                json.writeNullField("time");
            } else {
                json.writeStringField("time", Instant.ofEpochMilli(timeMs).toString());
            }
            raw.writeTo(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return out.toByteArray();
    }
}
