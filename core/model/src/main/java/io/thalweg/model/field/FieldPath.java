package io.thalweg.model.field;

import java.io.Serializable;
import java.util.List;

/**
 * The place of a value in an event: the segments of a dotted path ({@code payload.rider.id}; a segment that contains a dot
 * is quoted; one that is a whole number is the index of an element where the value is a JSON array), or one of the record's
 * own fields, whose single segment begins with {@code $}: {@code $key}, {@code $timestamp}, {@code $partition}, {@code
 * $headers.NAME}.
 *
 * @param text as written
 * @param segments for {@code $headers.x}: {@code ["$headers", "x"]}
 */
public record FieldPath(String text, List<String> segments) implements Serializable {
    public FieldPath {
        segments = List.copyOf(segments);
        if (segments.isEmpty()) {
            throw new IllegalArgumentException("a field path must have at least one segment, was '" + text + "'");
        }
    }

    /** Parses a path as written in a definition; throws IllegalArgumentException that names the path and the rule. */
    public static FieldPath parse(String text) {
        return FieldPathParser.parse(text);
    }

    /** The name in tables: the segments of a struct's field joined by dots, none quoted. */
    public String column() {
        return String.join(".", segments);
    }

    /** Whether this reads the Kafka record rather than its value. */
    public boolean isRecordField() {
        return segments.get(0).startsWith("$");
    }
}
