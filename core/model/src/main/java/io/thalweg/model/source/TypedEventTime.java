package io.thalweg.model.source;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.source.EventSchemas.FieldType;
import io.thalweg.model.source.EventSchemas.Fields;
import io.thalweg.model.source.Source.EventTime;
import io.thalweg.model.source.Source.TimeUnit;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.time.ZoneId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads {@code event_time} of a source whose events have a schema: timestamps have their own unit. */
final class TypedEventTime {
    private final YamlMap map;
    private final @Nullable Fields fields;
    private final boolean lenient;

    /**
     * Creates a reader.
     *
     * @param fields null if the schema was not read; then nothing is checked against it
     * @param lenient whether text may be a number
     */
    TypedEventTime(YamlValue value, @Nullable Fields fields, boolean lenient) {
        this.map = value.map();
        this.fields = fields;
        this.lenient = lenient;
    }

    EventTime read() {
        FieldPath field = map.required("field", "ts").map(FieldPaths::read).orElse(null);
        Optional<TimeUnit> unit = map.optional("unit").map(given -> given.oneOf(TimeUnit.class));
        @Nullable ZoneId zone = map.optional("zone").map(SourceReader::zone).orElse(null);
        map.close();
        FieldType type = field == null || field.isRecordField() ? null : type(field);
        TimeUnit effective = unit.orElse(TimeUnit.MS);
        if (field == null || type == null) {
            return new EventTime(field, effective, zone);
        }
        return switch (type.kind()) {
            case TIMESTAMP, LOCAL_TIMESTAMP -> timestamp(field, type, zone);
            case INTEGER, NUMBER -> number(field, type, effective);
            case TEXT -> text(field, effective, zone);
            default -> {
                map.key("field")
                        .problem(
                                "'" + field.text() + "' has type " + type.text()
                                        + " in the schema, and an event time is a timestamp, a number or text; name another field");
                yield new EventTime(field, effective, zone);
            }
        };
    }

    private @Nullable FieldType type(FieldPath field) {
        if (fields == null || field.equals(FieldPaths.UNKNOWN)) {
            return null;
        }
        try {
            return fields.type(field);
        } catch (IllegalArgumentException e) {
            map.key("field").problem(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private EventTime timestamp(FieldPath field, FieldType type, @Nullable ZoneId zone) {
        String is = "'" + field.text() + "' has type " + type.text() + " in the schema";
        if (map.has("unit")) {
            map.key("unit").problem(is + ", which has its unit; remove unit");
        }
        boolean local = type.kind() == EventSchemas.Kind.LOCAL_TIMESTAMP;
        if (!local && map.has("zone")) {
            map.key("zone").problem(is + ", which is UTC; remove zone");
        }
        if (local && !map.has("zone")) {
            map.self().problemAt("zone", "is required, as " + is + "; such as zone: America/New_York");
        }
        return new EventTime(field, TimeUnit.US, zone);
    }

    private EventTime number(FieldPath field, FieldType type, TimeUnit unit) {
        String is = "'" + field.text() + "' has type " + type.text() + " in the schema";
        if (unit == TimeUnit.ISO8601) {
            map.key("unit").problem("must be s, ms, us or ns, as " + is + ", was 'iso8601'");
        }
        if (map.has("zone")) {
            map.key("zone").problem(is + ", and a number is UTC; remove zone");
        }
        return new EventTime(field, unit, null);
    }

    private EventTime text(FieldPath field, TimeUnit unit, @Nullable ZoneId zone) {
        if (unit != TimeUnit.ISO8601 && !lenient) {
            map.key(map.has("unit") ? "unit" : "field")
                    .problem(
                            "'" + field.text()
                                    + "' has type text in the schema; add unit: iso8601, or source.numbers: lenient if the text is a number");
        }
        return new EventTime(field, unit, zone);
    }
}
