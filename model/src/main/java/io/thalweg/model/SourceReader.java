package io.thalweg.model;

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
final class SourceReader {
    private static final int TOPIC_MAX = 249;

    private final YamlMap map;

    SourceReader(YamlMap map) {
        this.map = map;
    }

    Source read() {
        map.unsupported("schema");
        map.unsupported("allowed_lateness");
        map.unsupported("derive");
        Source source = new Source(
                map.required("topic", "rider-events").map(SourceReader::topics).orElse(List.of("?")),
                map.optional("kafka").map(SourceReader::cluster).orElse("default"),
                map.optional("start")
                        .map(SourceReader::start)
                        .orElse(new Source.Start(Source.Start.Kind.LOOKBACK, null)),
                map.optional("format")
                        .map(format -> format.oneOf(Source.Format.class, "avro", "thrift", "protobuf"))
                        .orElse(Source.Format.JSON),
                map.optional("event_time")
                        .map(SourceReader::eventTime)
                        .orElse(new Source.EventTime(null, Source.TimeUnit.MS)),
                map.optional("max_out_of_orderness").map(YamlValue::duration).orElse(DurationText.parse("10s")),
                map.optional("idle_after").map(YamlValue::positiveDuration).orElse(DurationText.parse("30s")),
                map.optional("max_future").map(YamlValue::duration).orElse(DurationText.parse("1m")),
                map.optional("numbers")
                        .map(numbers -> numbers.oneOf(Source.Numbers.class))
                        .orElse(Source.Numbers.STRICT));
        if (source.format() == Source.Format.CSV && map.has("numbers")) {
            map.key("numbers").problem("does not go with format: csv, where every value is text; remove numbers");
        }
        map.close();
        return source;
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

    /** Kafka's rule for topic names. */
    static String topic(YamlValue value) {
        String topic = value.isText() ? value.text() : "";
        if (!isTopic(topic)) {
            value.wrong("a topic of 1 to " + TOPIC_MAX + " of a-z, A-Z, 0-9, '.', '_' and '-', such as rider-events");
        }
        return topic;
    }

    static boolean isTopic(String topic) {
        return topic.matches("[a-zA-Z0-9._-]{1," + TOPIC_MAX + "}") && !topic.equals(".") && !topic.equals("..");
    }

    /** The name of a cluster of {@code thalweg.yaml}. */
    static String cluster(YamlValue value) {
        String name = value.text();
        if (value.isText() && name.isBlank()) {
            value.wrong("the name of a cluster in thalweg.yaml, such as default");
        }
        return name;
    }

    static Source.Start start(YamlValue value) {
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

    static Source.EventTime eventTime(YamlValue value) {
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

    private static @Nullable ZoneId zone(YamlValue value) {
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
