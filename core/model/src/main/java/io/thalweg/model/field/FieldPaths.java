package io.thalweg.model.field;

import io.thalweg.model.yaml.YamlValue;
import java.util.List;

/** Reads field paths of definitions. */
public final class FieldPaths {
    /** The placeholder for a path that cannot be read; a problem was reported. */
    public static final FieldPath UNKNOWN = new FieldPath("?", List.of("?"));

    private FieldPaths() {}

    public static FieldPath read(YamlValue value) {
        if (value.isText()) {
            return read(value, value.text());
        }
        value.wrong("a field such as payload.rider_id");
        return UNKNOWN;
    }

    /** Reads a path that is the key of the value rather than the value itself. */
    public static FieldPath read(YamlValue at, String text) {
        try {
            FieldPath field = FieldPath.parse(text);
            List<String> segments = field.segments();
            boolean known = switch (segments.get(0)) {
                case "$key", "$timestamp", "$partition" -> segments.size() == 1;
                case "$headers" -> segments.size() == 2;
                default -> !field.isRecordField();
            };
            if (!known) {
                at.problem(
                        "a record's own fields are $key, $timestamp, $partition and $headers.NAME, was '" + text + "'");
            }
            return field;
        } catch (IllegalArgumentException e) {
            at.problem(String.valueOf(e.getMessage()));
            return UNKNOWN;
        }
    }
}
