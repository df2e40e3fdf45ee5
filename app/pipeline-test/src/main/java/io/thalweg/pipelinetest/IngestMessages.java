package io.thalweg.pipelinetest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.jobs.ingest.message.MessageEncoder;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the messages of an ingest test, one record each, in the format, schema and envelope that the ingest reads.
 *
 * <p><b>Threads.</b> One.
 */
final class IngestMessages {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RAW = "raw";
    private static final String BASE64 = "base64";

    private final MessageEncoder encoder;
    private final boolean isJson;
    private final TestTimes times;
    private final Map<String, @Nullable Object> defaults;

    private IngestMessages(MessageEncoder encoder, boolean isJson, TestTimes times, Optional<YamlValue> defaults) {
        this.encoder = encoder;
        this.isJson = isJson;
        this.times = times;
        this.defaults =
                defaults.map(value -> fields(value.map(), encoder.schema())).orElse(Map.of());
    }

    /** Returns the records of a list of events; records problems. */
    static List<byte[]> read(YamlValue events, IngestPlan plan, TestTimes times, Optional<YamlValue> defaults) {
        try {
            boolean isJson = plan.ingest().input().format() == Ingest.Format.JSON;
            return new IngestMessages(MessageEncoder.of(plan), isJson, times, defaults).read(events);
        } catch (SchemaException e) {
            events.problem("messages of this schema cannot be written in a test: %s; name a file: {file: events.bin}"
                    .formatted(e.getMessage()));
            return List.of();
        }
    }

    private List<byte[]> read(YamlValue events) {
        List<byte[]> records = new ArrayList<>();
        for (YamlValue event : events.list()) {
            records.add(record(event));
        }
        return records;
    }

    private byte[] record(YamlValue value) {
        if (!value.isMap()) {
            value.wrong("a mapping of fields, {raw: TEXT} or {base64: BYTES}");
            return new byte[0];
        }
        YamlMap event = value.map();
        Optional<YamlValue> raw = only(event, RAW);
        if (raw.isPresent()) {
            return raw.get().text().getBytes(StandardCharsets.UTF_8);
        }
        return only(event, BASE64).map(IngestMessages::base64).orElseGet(() -> message(event));
    }

    /** Returns the value of a key if it is the only key of the event. */
    private static Optional<YamlValue> only(YamlMap event, String key) {
        return event.all().size() == 1 ? event.optional(key) : Optional.empty();
    }

    private static byte[] base64(YamlValue value) {
        try {
            return Base64.getDecoder().decode(value.text());
        } catch (IllegalArgumentException e) {
            value.wrong("base64 with padding");
            return new byte[0];
        }
    }

    private byte[] message(YamlMap event) {
        int before = event.self().problems().count();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(defaults);
        fields.putAll(fields(event, encoder.schema()));
        if (event.self().problems().count() > before) {
            return new byte[0];
        }
        try {
            return encoder.record(JSON.writeValueAsBytes(fields));
        } catch (BadRecordException e) {
            event.self()
                    .problem(
                            "cannot be encoded: %s; correct it, or write the bytes: {base64: …}".formatted(e.detail()));
        } catch (JsonProcessingException e) {
            event.self().problem("cannot be written as JSON");
        }
        return new byte[0];
    }

    private Map<String, @Nullable Object> fields(YamlMap map, Struct type) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        map.all().forEach((name, value) -> {
            int index = type.indexOf(name);
            if (index >= 0) {
                fields.put(name, json(value, type.fields().get(index).type()));
            } else if (isJson) {
                fields.put(name, EventLines.json(value));
            } else {
                value.problem("is not a field of the schema; " + Suggestion.hint(name, type.names()));
            }
        });
        return fields;
    }

    private @Nullable Object json(YamlValue value, FieldType type) {
        if (type instanceof Struct struct && value.isMap()) {
            return fields(value.map(), struct);
        }
        if (type instanceof ListOf list && value.isList()) {
            List<@Nullable Object> elements = new ArrayList<>();
            value.list().forEach(each -> elements.add(json(each, list.element())));
            return elements;
        }
        if (type instanceof MapOf map && value.isMap()) {
            Map<String, @Nullable Object> entries = new LinkedHashMap<>();
            value.map().all().forEach((key, each) -> entries.put(key, json(each, map.value())));
            return entries;
        }
        if (type instanceof Decimal && !isJson && value.scalar() instanceof Number number) {
            return new BigDecimal(number.toString()).toPlainString();
        }
        return type instanceof Timestamp timestamp && value.isText() && TestTimes.isShort(value.text())
                ? time(times.event(value), timestamp)
                : EventLines.json(value);
    }

    private static String time(long ms, Timestamp type) {
        Instant instant = Instant.ofEpochMilli(ms);
        return type.utc()
                ? instant.toString()
                : LocalDateTime.ofInstant(instant, ZoneOffset.UTC).toString();
    }
}
