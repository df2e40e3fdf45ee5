package io.thalweg.model.source;

import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a source, in place or as a document of its own. */
public final class SourceReader {
    private static final int TOPIC_MAX = 249;

    private final YamlMap map;
    private final EventSchemas schemas;

    public SourceReader(YamlMap map, EventSchemas schemas) {
        this.map = map;
        this.schemas = schemas;
    }

    /**
     * A source and the types of its fields.
     *
     * @param fields null if the format has no schema, or it was not read
     */
    public record ReadSource(Source source, EventSchemas.@Nullable Fields fields) {}

    public ReadSource read() {
        for (String key : List.of("allowed_lateness", "derive", "limits", "framing")) {
            map.unsupported(key);
        }
        map.refused("files", "goes with kind: Ingest only; a view reads files with run --input, remove it");
        Source.Format format = map.optional("format")
                .map(given -> given.oneOf(Source.Format.class))
                .orElse(Source.Format.JSON);
        EventSchema schema = schema(format);
        EventSchemas.Fields fields = schema == null ? null : fields(format, schema);
        Source.Numbers numbers = numbers(format);
        Source source = new Source(
                map.required("topic", "rider-events").map(SourceReader::topics).orElse(List.of("?")),
                map.optional("kafka").map(SourceReader::cluster).orElse("default"),
                map.optional("start")
                        .map(SourceReader::start)
                        .orElse(new Source.Start(Source.Start.Kind.LOOKBACK, null)),
                new Source.Encoding(
                        format, numbers, fields == null ? schema : fields.schema(), compression(schema != null)),
                map.optional("event_time")
                        .map(value -> schema != null
                                ? new TypedEventTime(value, fields, numbers == Source.Numbers.LENIENT).read()
                                : eventTime(value))
                        .orElse(new Source.EventTime(null, Source.TimeUnit.MS)),
                map.optional("max_out_of_orderness").map(YamlValue::duration).orElse(DurationText.parse("10s")),
                map.optional("idle_after").map(YamlValue::positiveDuration).orElse(DurationText.parse("30s")),
                map.optional("max_future").map(YamlValue::duration).orElse(DurationText.parse("1m")));
        map.close();
        return new ReadSource(source, fields);
    }

    private Source.Numbers numbers(Source.Format format) {
        if (format == Source.Format.CSV && map.has("numbers")) {
            map.key("numbers").problem("does not go with format: csv, where every value is text; remove numbers");
        }
        return map.optional("numbers")
                .map(numbers -> numbers.oneOf(Source.Numbers.class))
                .orElse(Source.Numbers.STRICT);
    }

    private @Nullable EventSchema schema(Source.Format format) {
        if (format == Source.Format.CSV) {
            map.refused("schema", "does not go with format: csv, whose header names the columns; remove it");
            return null;
        }
        if (!map.has("schema") && !format.needsSchema()) {
            return null;
        }
        map.optional("schema").filter(YamlValue::isMap).ifPresent(SourceReader::refuseFileOfRegistry);
        return EventSchema.unread(SchemaReader.read(map, format.text()));
    }

    private static void refuseFileOfRegistry(YamlValue schema) {
        if (schema.map().has("registry")) {
            schema.map()
                    .refused(
                            "file", "does not go with registry in a view, which registers nothing; remove one of them");
        }
    }

    private EventSchemas.@Nullable Fields fields(Source.Format format, EventSchema schema) {
        if (!isReadable(format, schema.at())) {
            return null;
        }
        try {
            return schemas.read(format, schema.at()).orElse(null);
        } catch (IllegalArgumentException e) {
            map.optional("schema").ifPresent(value -> value.problem(String.valueOf(e.getMessage())));
            return null;
        }
    }

    /** Returns whether the location of the schema is complete; missing parts have been reported. */
    private static boolean isReadable(Source.Format format, Source.Schema at) {
        Source.Subject subject = at.subject();
        if (subject == null) {
            return !at.file().equals("?");
        }
        return format != Source.Format.THRIFT
                && !subject.name().equals("?")
                && !subject.name().isBlank();
    }

    private Source.Compression compression(boolean hasSchema) {
        if (!hasSchema) {
            map.refused(
                    "envelope",
                    "goes with a schema only: records of CSV, and of JSON without one, are not compressed; remove it");
        }
        YamlMap envelope = map.optional("envelope").map(YamlValue::map).orElse(null);
        if (envelope == null) {
            return Source.Compression.NONE;
        }
        Source.Compression compression = envelope.optional("compression")
                .map(value -> value.oneOf(Source.Compression.class))
                .orElse(Source.Compression.NONE);
        envelope.optional("messages")
                .filter(messages -> !messages.isText() || !messages.text().equals("one"))
                .ifPresent(messages -> messages.problem(
                        "views read one event per record in this version, was " + messages.shown() + "; remove it"));
        envelope.close();
        return compression;
    }

    private static List<String> topics(YamlValue value) {
        List<String> topics = new ArrayList<>();
        for (YamlValue element : value.listOrOne()) {
            String topic = topic(element);
            if (topics.contains(topic)) {
                element.problem("the topic " + topic + " is there twice; keep one");
            }
            topics.add(topic);
        }
        if (topics.isEmpty()) {
            value.wrong("a topic or a list with at least one");
            topics.add("?");
        }
        return topics;
    }

    /** Reads a topic name, which must conform to Kafka's rule. */
    public static String topic(YamlValue value) {
        String topic = value.isText() ? value.text() : "";
        if (!isTopic(topic)) {
            value.wrong("a topic of 1 to " + TOPIC_MAX + " of a-z, A-Z, 0-9, '.', '_' and '-', such as rider-events");
        }
        return topic;
    }

    public static boolean isTopic(String topic) {
        return topic.matches("[a-zA-Z0-9._-]{1," + TOPIC_MAX + "}") && !topic.equals(".") && !topic.equals("..");
    }

    /** Reads the name of a cluster of {@code thalweg.yaml}. */
    public static String cluster(YamlValue value) {
        String name = value.text();
        if (value.isText() && name.isBlank()) {
            value.wrong("the name of a cluster in thalweg.yaml, such as default");
        }
        return name;
    }

    public static Source.Start start(YamlValue value) {
        String text = value.isText() ? value.text() : "";
        for (Source.Start.Kind kind :
                List.of(Source.Start.Kind.LOOKBACK, Source.Start.Kind.EARLIEST, Source.Start.Kind.LATEST)) {
            if (text.equals(kind.name().toLowerCase(java.util.Locale.ROOT))) {
                return new Source.Start(kind, null);
            }
        }
        try {
            return new Source.Start(Source.Start.Kind.TIMESTAMP, Instant.parse(text));
        } catch (DateTimeException e) {
            value.wrong("lookback, earliest, latest or a time such as 2026-01-01T00:00:00Z");
            return new Source.Start(Source.Start.Kind.LOOKBACK, null);
        }
    }

    public static Source.EventTime eventTime(YamlValue value) {
        YamlMap map = value.map();
        int before = value.problems().count();
        Source.EventTime time = new Source.EventTime(
                map.required("field", "ts").map(FieldPaths::read).orElse(null),
                map.optional("unit")
                        .map(unit -> unit.oneOf(Source.TimeUnit.class))
                        .orElse(Source.TimeUnit.MS),
                map.optional("zone").map(SourceReader::zone).orElse(null));
        if (time.zone() != null
                && time.unit() != Source.TimeUnit.ISO8601
                && value.problems().count() == before) {
            map.key("zone").problem("does not go with a number, which is UTC; set unit: iso8601, or remove zone");
        }
        map.close();
        return time;
    }

    static @Nullable ZoneId zone(YamlValue value) {
        try {
            return value.isText() ? ZoneId.of(value.text()) : wrongZone(value);
        } catch (DateTimeException e) {
            return wrongZone(value);
        }
    }

    private static @Nullable ZoneId wrongZone(YamlValue value) {
        value.wrong("a time zone such as America/New_York or UTC");
        return null;
    }
}
