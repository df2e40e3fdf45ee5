package io.thalweg.jobs.ingest;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import io.thalweg.jobs.ingest.IngestLetter.Stage;
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

/** A dead letter of an ingest that was read back: {@link IngestLetter#toJson}. */
public final class SavedLetter {
    /** No letter is longer: a message of 10 MiB in base64, and what is said about it. */
    private static final int LONGEST = 32 << 20;

    /** Of a file of letters. */
    static final Limits LIMITS = new Limits(LONGEST, LONGEST, 1, 1);

    private static final String WHOLE_RECORD = "whole_record";
    private static final JsonFactory JSON = new JsonFactory();

    private final Map<String, @Nullable Object> members;
    private final byte[] raw;
    private final RecordAttributes attributes;

    private SavedLetter(Map<String, @Nullable Object> members, byte[] raw, RecordAttributes attributes) {
        this.members = members;
        this.raw = raw;
        this.attributes = attributes;
    }

    /** What {@link #raw} is. */
    enum Form {
        /** A record as it arrived, of which no message was found. */
        RECORD,
        /** The rest of a record that was opened, from the letter's message on. */
        REST,
        /** A message. */
        MESSAGE,
        /** The record that holds the letter's message: it was fetched again. */
        FETCHED_RECORD
    }

    /**
     * Reads a letter.
     *
     * @return null if the line is not a letter of an ingest
     */
    public static @Nullable SavedLetter parse(byte[] data, int from, int length) {
        try (JsonParser json = JSON.createParser(data, from, length)) {
            List<RecordHeader> headers = new ArrayList<>();
            Map<String, @Nullable Object> members = members(json, headers);
            if (!(members.get("raw") instanceof String raw)) {
                return null;
            }
            boolean isText = "text".equals(members.get("raw_encoding"));
            SavedLetter letter = new SavedLetter(
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

    /** A letter of a file that was made of letters. */
    static SavedLetter of(RawRecords records, int i) {
        SavedLetter letter = parse(records.data(i), records.from(i), records.to(i) - records.from(i));
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

    /** When it was written; null if it does not say so. */
    public @Nullable Instant time() {
        return members.get("time") instanceof String time ? Instant.parse(time) : null;
    }

    /** A topic, a file or a subscription. */
    public String source() {
        return text("source");
    }

    /** The partition of the topic; below 0 for a file. */
    public int partition() {
        return (int) number("partition", RawRecords.NO_PARTITION);
    }

    /** Where the record is in its partition or file. */
    public long offset() {
        return number("offset", 0);
    }

    /** The id of a message of a subscription; null if the record is known by its offset. */
    public @Nullable String messageId() {
        return members.get("message_id") instanceof String id ? id : null;
    }

    /** Of the message in its record. */
    public long index() {
        return number("index", 0);
    }

    /** How often the message was tried. */
    public int attempts() {
        return (int) number("attempts", 1);
    }

    /** Whether it holds the message: not if bytes of it are missing, nor if it holds the row that a sink has refused. */
    public boolean hasMessage() {
        return !Boolean.TRUE.equals(members.get("truncated")) && Stage.named(stage()) != Stage.SINK;
    }

    /** Whether the message can be read without its file. */
    public boolean isReplayable() {
        return !Boolean.FALSE.equals(members.get("replayable"));
    }

    /** Whether it has the key and the headers of its record, or the record has none; letters of earlier versions count as such. */
    public boolean hasAttributes() {
        return !attributes.isOmitted();
    }

    /** The key, time and headers of its record. */
    RecordAttributes attributes() {
        return attributes;
    }

    /**
     * The same letter with the whole record in which its message is.
     *
     * @param codecHeader the header in which a record names its compression; null = records do not
     */
    public SavedLetter fetched(ConsumerRecord<byte[], byte[]> fetched, @Nullable String codecHeader) {
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
        return new SavedLetter(more, record, new RecordAttributes(fetched.key(), fetched.timestamp(), headers, false));
    }

    /** The compression that the letter's record has named itself; null if it did not. */
    @Nullable
    String codec() {
        return members.get(IngestLetter.CODEC) instanceof String codec ? codec : null;
    }

    byte[] raw() {
        return raw;
    }

    Form form() {
        if (members.get(WHOLE_RECORD) != null) {
            return Form.FETCHED_RECORD;
        }
        if (!isOfEnvelope()) {
            return Form.MESSAGE;
        }
        return index() == 0 ? Form.RECORD : Form.REST;
    }

    /** Whether the messages behind the letter's could not be found either. */
    boolean isOfEnvelope() {
        return Stage.named(stage()) == Stage.ENVELOPE;
    }

    /** The letter as JSON, without a line end. */
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

    /** The record that the letter is of, with the bytes of the letter. */
    RawRecords record() {
        return new LetterRecord(this);
    }

    @Override
    public String toString() {
        return "%s of %s at %d, message %d: %s %s"
                .formatted(ingest(), source(), offset(), index(), stage().toLowerCase(Locale.ROOT), reason());
    }
}
