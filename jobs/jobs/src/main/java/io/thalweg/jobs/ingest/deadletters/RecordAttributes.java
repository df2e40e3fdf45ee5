package io.thalweg.jobs.ingest.deadletters;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import io.thalweg.records.Utf8;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a topic's record besides its value, as stored in a dead letter: members {@code key, key_encoding, timestamp} (epoch ms)
 * and {@code headers}, a list of {@code {name, value, encoding}}. Bytes are text if they are UTF-8, otherwise base64.
 *
 * @param key null = none
 * @param timestampMs epoch ms; negative = none
 * @param headers in their order, without the one that names the compression
 * @param isOmitted whether the key and the headers are missing because they were too large
 */
public record RecordAttributes(byte @Nullable [] key, long timestampMs, List<RecordHeader> headers, boolean isOmitted) {
    /** No attributes. */
    static final RecordAttributes NONE = new RecordAttributes(null, RawRecords.NO_TIME, List.of(), false);

    private static final String KEY = "key";
    private static final String KEY_ENCODING = "key_encoding";
    private static final String TIMESTAMP = "timestamp";
    private static final String OMITTED = "key_and_headers_omitted";

    /** The members that are not lists. */
    static final Set<String> SINGLE = Set.of(KEY, KEY_ENCODING, TIMESTAMP, OMITTED);

    /** The member that is a list. */
    static final String HEADERS = "headers";

    /**
     * The maximum size that a letter keeps, in bytes. JSON encodes a control character in six bytes; even then, a letter with its message
     * is smaller than the 1 MiB that Kafka accepts by default.
     */
    private static final int MOST_BYTES = 32 * 1024;
    /** The overhead of a header in JSON. */
    private static final int HEADER_BYTES = 64;

    private static final String TEXT = "text";
    private static final String BASE64 = "base64";

    /** Returns the attributes of a record. */
    public static RecordAttributes of(RawRecords records, int i) {
        return records instanceof DeadLetterRecord record
                ? record.letter().attributes()
                : new RecordAttributes(records.key(i), records.timestampMs(i), records.headers(i), false);
    }

    /** Returns the attributes of a letter. */
    public static RecordAttributes of(Map<String, @Nullable Object> members, List<RecordHeader> headers) {
        byte[] key = members.get(KEY) instanceof String text ? bytes(text, members.get(KEY_ENCODING)) : null;
        long timestampMs = members.get(TIMESTAMP) instanceof Long ms ? ms : RawRecords.NO_TIME;
        return new RecordAttributes(key, timestampMs, headers, Boolean.TRUE.equals(members.get(OMITTED)));
    }

    /** Returns these attributes, without key and headers if they are too large for a letter. */
    RecordAttributes bounded() {
        long bytes = key == null ? 0 : key.length;
        for (RecordHeader header : headers) {
            byte[] value = header.value();
            bytes += HEADER_BYTES + header.name().length() + (value == null ? 0 : value.length);
        }
        return bytes <= MOST_BYTES ? this : new RecordAttributes(null, timestampMs, List.of(), true);
    }

    /** Writes the members that are present. */
    void writeTo(JsonGenerator json) throws IOException {
        if (key != null) {
            write(json, KEY, KEY_ENCODING, key);
        }
        if (timestampMs >= 0) {
            json.writeNumberField(TIMESTAMP, timestampMs);
        }
        if (!headers.isEmpty()) {
            json.writeArrayFieldStart(HEADERS);
            for (RecordHeader header : headers) {
                write(json, header);
            }
            json.writeEndArray();
        }
        if (isOmitted) {
            json.writeBooleanField(OMITTED, true);
        }
    }

    private static void write(JsonGenerator json, RecordHeader header) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", header.name());
        byte[] value = header.value();
        if (value != null) {
            write(json, "value", "encoding", value);
        }
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String member, String encoding, byte[] bytes) throws IOException {
        boolean isText = Utf8.firstMalformed(bytes, 0, bytes.length) < 0;
        json.writeStringField(
                member,
                isText
                        ? new String(bytes, StandardCharsets.UTF_8)
                        : Base64.getEncoder().encodeToString(bytes));
        json.writeStringField(encoding, isText ? TEXT : BASE64);
    }

    /**
     * Reads a list of headers.
     *
     * @param json positioned at the start of the list
     * @throws IllegalArgumentException if it is not a list of headers
     */
    static List<RecordHeader> readHeaders(JsonParser json) throws IOException {
        List<RecordHeader> headers = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            headers.add(readHeader(json));
        }
        return headers;
    }

    private static RecordHeader readHeader(JsonParser json) throws IOException {
        String name = null;
        String value = null;
        String encoding = TEXT;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String member = json.currentName();
            String text = json.nextTextValue();
            switch (member) {
                case "name" -> name = text;
                case "value" -> value = text;
                case "encoding" -> encoding = text;
                default -> json.skipChildren();
            }
        }
        if (name == null || json.currentToken() != JsonToken.END_OBJECT) {
            throw new IllegalArgumentException("a header must be an object with a name");
        }
        return new RecordHeader(name, value == null ? null : bytes(value, encoding));
    }

    private static byte[] bytes(String text, @Nullable Object encoding) {
        return BASE64.equals(encoding) ? Base64.getDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8);
    }
}
