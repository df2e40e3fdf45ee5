package io.thalweg.pipelinetest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of a test as lines of JSON: the fields of {@code defaults}, those of the event, and the time of {@code at} in the
 * field and unit of the view's source.
 *
 * <p><b>Threads.</b> One.
 */
final class EventLines {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String AT = "at";
    private static final String RAW = "raw";

    private final @Nullable FeatureView view;
    private final TestTimes times;
    private final Map<String, @Nullable Object> defaults;

    /**
     * Creates a writer for a view.
     *
     * @param view null if it could not be read: events are then only checked
     */
    EventLines(@Nullable FeatureView view, TestTimes times, Optional<YamlValue> defaults) {
        this.view = view;
        this.times = times;
        this.defaults = new LinkedHashMap<>();
        defaults.ifPresent(value -> this.defaults.putAll(fields(value.map())));
    }

    List<String> read(YamlValue events) {
        requireJson(events);
        List<String> lines = new ArrayList<>();
        for (YamlValue event : events.list()) {
            lines.add(line(event));
        }
        return lines;
    }

    private void requireJson(YamlValue events) {
        if (view == null) {
            return;
        }
        Source source = view.source();
        if (source.hasSchema() || source.format() != Source.Format.JSON) {
            events.problem(
                    "events of a test are written as JSON, and view %s reads %s%s; name a file: {file: events.%s}"
                            .formatted(
                                    view.qualifiedName(),
                                    source.format().text(),
                                    source.hasSchema() ? " with a schema" : "",
                                    source.format().text()));
        } else if (source.eventTime().field() == null) {
            events.problem(("view %s takes the time from the Kafka record, which an event of a file does not have;"
                            + " add source.event_time to the view")
                    .formatted(view.qualifiedName()));
        }
    }

    private String line(YamlValue value) {
        if (!value.isMap()) {
            value.wrong("a mapping of fields such as {at: \"12:00:05\", rider_id: r1}");
            return "";
        }
        YamlMap event = value.map();
        return event.has(RAW) ? raw(event) : json(event);
    }

    private String json(YamlMap event) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(defaults);
        Optional<YamlValue> at = event.optional(AT);
        fields.putAll(fields(event));
        fields.remove(AT);
        at.ifPresent(value -> putTime(value, times.event(value), fields));
        try {
            return JSON.writeValueAsString(fields);
        } catch (JsonProcessingException e) {
            event.self().problem("cannot be written as JSON");
            return "";
        }
    }

    /** Returns an event that is given as a line of text, such as one that is not JSON. */
    private static String raw(YamlMap event) {
        Optional<YamlValue> value = event.optional(RAW);
        String text = value.map(YamlValue::text).orElse("");
        value.filter(written -> text.lines().count() != 1).ifPresent(written -> written.wrong("one line of text"));
        event.close();
        return text;
    }

    private void putTime(YamlValue at, long ms, Map<String, @Nullable Object> fields) {
        FieldPath path = view == null ? null : view.source().eventTime().field();
        if (view == null || path == null) {
            return;
        }
        Map<String, @Nullable Object> holder = fields;
        List<String> segments = path.segments();
        for (String segment : segments.subList(0, segments.size() - 1)) {
            holder = child(holder, segment);
        }
        String last = segments.get(segments.size() - 1);
        if (holder.containsKey(last) && !defaults.containsKey(segments.get(0))) {
            at.problem("the event has the view's time field %s, too; keep one of them".formatted(path.text()));
        }
        holder.put(last, time(ms, view.source().eventTime().unit()));
    }

    /** Replaces a nested object by a copy and returns that, because other events share the original. */
    private static Map<String, @Nullable Object> child(Map<String, @Nullable Object> fields, String name) {
        Map<String, @Nullable Object> child = new LinkedHashMap<>();
        if (fields.get(name) instanceof Map<?, ?> there) {
            there.forEach((key, value) -> child.put(String.valueOf(key), value));
        }
        fields.put(name, child);
        return child;
    }

    private static Object time(long ms, Source.TimeUnit unit) {
        return switch (unit) {
            case S -> Math.floorDiv(ms, 1000L);
            case MS -> ms;
            case US -> Math.multiplyExact(ms, 1000L);
            case NS -> Math.multiplyExact(ms, 1_000_000L);
            case ISO8601 -> Instant.ofEpochMilli(ms).toString();
        };
    }

    private static Map<String, @Nullable Object> fields(YamlMap map) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        map.all().forEach((name, value) -> fields.put(name, json(value)));
        return fields;
    }

    /** Returns a value as Jackson writes it. */
    static @Nullable Object json(YamlValue value) {
        if (value.isMap()) {
            return fields(value.map());
        }
        return value.isList() ? value.list().stream().map(EventLines::json).toList() : value.scalar();
    }
}
