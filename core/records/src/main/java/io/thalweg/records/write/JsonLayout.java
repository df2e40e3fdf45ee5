package io.thalweg.records.write;

/**
 * The properties of a JSON Schema beyond the neutral one, by the path of a field such as {@code payload.rider.id}. An element has
 * the path of its list, a value that of its map.
 */
public interface JsonLayout {
    /** Times as in RFC 3339, decimals as text. */
    JsonLayout DEFAULT = new JsonLayout() {};

    /** Returns the unit of a numeric {@code Timestamp} in microseconds: 1, 1,000 or 1,000,000; 0 for text. */
    default long unit(String path) {
        return 0;
    }

    /** Returns whether a {@code Decimal} is a number instead of text. */
    default boolean decimalIsNumber(String path) {
        return false;
    }

    /** Returns whether a map is a list of objects {@code {"key": …, "value": …}} instead of an object. */
    default boolean mapsAreEntries() {
        return false;
    }
}
