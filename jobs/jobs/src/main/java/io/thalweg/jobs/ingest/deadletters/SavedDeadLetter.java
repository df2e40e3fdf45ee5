package io.thalweg.jobs.ingest.deadletters;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter.Stage;
import io.thalweg.records.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A dead letter of an ingest, read from the JSON of {@link IngestDeadLetter#toJson}. */
public final class SavedDeadLetter {
    /** The maximum size of a letter: a message of 10 MiB in base64, and its metadata. */
    private static final int LONGEST = 32 << 20;

    /** The limits of a file of letters. */
    public static final Limits LIMITS = new Limits(LONGEST, LONGEST, 1, 1);

    private static final String WHOLE_RECORD = "whole_record";
    private static final JsonFactory JSON = new JsonFactory();

    private final Map<String, @Nullable Object> members;
    private final byte[] raw;
    private final RecordAttributes attributes;

    private SavedDeadLetter(Map<String, @Nullable Object> members, byte[] raw, RecordAttributes attributes) {
        this.members = members;
        this.raw = raw;
        this.attributes = attributes;
    }

    /** The content of {@link #raw}. */
    public enum Form {
        /** A record as received, in which no message was found. */
        RECORD,
        /** The rest of an opened record, starting at the letter's message. */
        REST,
        /** A message. */
        MESSAGE,
        /** The record that contains the letter's message, fetched again. */
        FETCHED_RECORD
    }

    /**
     * Reads a letter.
     *
     * @return null if the line is not a letter of an ingest
     */
    public static @Nullable SavedDeadLetter parse(byte[] data, int from, int length) {
        try (JsonParser json = JSON.createParser(data, from, length)) {
            List<RecordHeader> headers = new ArrayList<>();
            Map<String, @Nullable Object> members = members(json, headers);
            if (!(members.get("raw") instanceof String raw)) {
                return null;
            }
            boolean isText = "text".equals(members.get("raw_encoding"));
            SavedDeadLetter letter = new SavedDeadLetter(
                    members,
                    isText
                            ? raw.getBytes(StandardCharsets.UTF_8)
                            : Base64.getDecoder().decode(raw),
                    RecordAttributes.of(members, headers));
            members.keySet().removeAll(RecordAttributes.SINGLE);
            return letter.isWhole() ? letter : null;
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            return null;
        }
    }

    /** Returns a letter from a file that consists of letters. */
    public static SavedDeadLetter of(RawRecords records, int i) {
        SavedDeadLetter letter = parse(records.data(i), records.from(i), records.to(i) - records.from(i));
        if (letter == null) {
            throw new IllegalStateException("line %d of %s must be a dead letter; start over with --resume none"
                    .formatted(records.position(i), records.source()));
        }
        return letter;
    }

    private static Map<String, @Nullable Object> members(JsonParser json, List<RecordHeader> headers)
            throws IOException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        if (json.nextToken() != JsonToken.START_OBJECT) {
            return members;
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            switch (json.nextToken()) {
                case VALUE_STRING -> members.put(name, json.getText());
                case VALUE_NUMBER_INT -> members.put(name, json.getLongValue());
                case VALUE_TRUE, VALUE_FALSE -> members.put(name, json.getBooleanValue());
                case START_ARRAY -> {
                    if (name.equals(RecordAttributes.HEADERS)) {
                        headers.addAll(RecordAttributes.readHeaders(json));
                    } else {
                        json.skipChildren();
                    }
                }
                default -> json.skipChildren();
            }
        }
        return members;
    }

    private boolean isWhole() {
        boolean named = members.get("ingest") instanceof String
                && members.get("reason") instanceof String
                && members.get("source") instanceof String
                && members.get("stage") instanceof String stage
                && Stage.named(stage) != null;
        Object time = members.get("time");
        return named
                && (members.get("offset") instanceof Long || messageId() != null)
                && members.get("index") instanceof Long
                && (time == null || Instant.parse(String.valueOf(time)).isAfter(Instant.MIN));
    }

    private String text(String member) {
        return String.valueOf(members.get(member));
    }

    private long number(String member, long standard) {
        return members.get(member) instanceof Long number ? number : standard;
    }

    /** The qualified name of the ingest. */
    public String ingest() {
        return text("ingest");
    }

    public String stage() {
        return text("stage");
    }

    public String reason() {
        return text("reason");
    }

    /** When it was written; null if unknown. */
    public @Nullable Instant time() {
        return members.get("time") instanceof String time ? Instant.parse(time) : null;
    }

    /** The source: a topic, a file or a subscription. */
    public String source() {
        return text("source");
    }

    /** The partition of the topic; negative for other sources. */
    public int partition() {
        return (int) number("partition", RawRecords.NO_PARTITION);
    }

    /** The position of the record in its partition or file. */
    public long offset() {
        return number("offset", 0);
    }

    /** The id of a message of a subscription; null if the record is identified by its offset. */
    public @Nullable String messageId() {
        return members.get("message_id") instanceof String id ? id : null;
    }

    /** The index of the message in its record. */
    public long index() {
        return number("index", 0);
    }

    /** How often the message was tried. */
    public int attempts() {
        return (int) number("attempts", 1);
    }

    /** Whether it holds the complete message; false if it is truncated, or holds the row that a sink refused. */
    public boolean hasMessage() {
        return !Boolean.TRUE.equals(members.get("truncated")) && Stage.named(stage()) != Stage.SINK;
    }

    /** Whether the message can be read without its file. */
    public boolean isReplayable() {
        return !Boolean.FALSE.equals(members.get("replayable"));
    }

    /** Whether key and headers of its record are complete. Letters of earlier versions count as complete. */
    public boolean hasAttributes() {
        return !attributes.isOmitted();
    }

    /** The key, time and headers of its record. */
    RecordAttributes attributes() {
        return attributes;
    }

    /**
     * Returns this letter with the whole record that contains its message.
     *
     * @param codecHeader the header in which a record names its compression; null = records do not
     */
    public SavedDeadLetter fetched(ConsumerRecord<byte[], byte[]> fetched, @Nullable String codecHeader) {
        byte[] record = fetched.value();
        Map<String, @Nullable Object> more = new LinkedHashMap<>(members);
        more.put("raw", Base64.getEncoder().encodeToString(record));
        more.put("raw_encoding", "base64");
        more.put("truncated", false);
        more.put(WHOLE_RECORD, true);
        List<RecordHeader> headers = new ArrayList<>();
        for (Header header : fetched.headers()) {
            if (!header.key().equals(codecHeader)) {
                headers.add(new RecordHeader(header.key(), header.value()));
            }
        }
        return new SavedDeadLetter(
                more, record, new RecordAttributes(fetched.key(), fetched.timestamp(), headers, false));
    }

    /** The compression that the letter's record itself named; null if it did not. */
    @Nullable
    String codec() {
        return members.get(IngestDeadLetter.CODEC) instanceof String codec ? codec : null;
    }

    byte[] raw() {
        return raw;
    }

    public Form form() {
        if (members.get(WHOLE_RECORD) != null) {
            return Form.FETCHED_RECORD;
        }
        if (!isOfEnvelope()) {
            return Form.MESSAGE;
        }
        return index() == 0 ? Form.RECORD : Form.REST;
    }

    /** Whether the messages after the letter's could not be found either. */
    public boolean isOfEnvelope() {
        return Stage.named(stage()) == Stage.ENVELOPE;
    }

    /** Returns the letter as JSON, without a line end. */
    public byte[] toJson() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(raw.length + 512);
        try (JsonGenerator json = JSON.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            for (Map.Entry<String, @Nullable Object> member : members.entrySet()) {
                json.writeFieldName(member.getKey());
                json.writeObject(member.getValue());
            }
            attributes.writeTo(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return out.toByteArray();
    }

    /** Returns the bytes of the letter as a record with the letter's origin. */
    public RawRecords record() {
        return new DeadLetterRecord(this);
    }

    @Override
    public String toString() {
        return "%s of %s at %d, message %d: %s %s"
                .formatted(ingest(), source(), offset(), index(), stage().toLowerCase(Locale.ROOT), reason());
    }
}
