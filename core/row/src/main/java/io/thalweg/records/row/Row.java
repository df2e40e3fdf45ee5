package io.thalweg.records.row;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of named values.
 *
 * <p><b>Shape.</b> The type of a field determines the class of its value:
 *
 * <table>
 *   <caption>Values by type</caption>
 *   <tr><td>boolean</td><td>{@link Boolean}</td></tr>
 *   <tr><td>integer of any size</td><td>{@link Long}; {@link Integer}, {@link Short} and {@link Byte} may be set</td></tr>
 *   <tr><td>float, double</td><td>{@link Double}; {@link Float} and integers of up to 32 bits may be set</td></tr>
 *   <tr><td>text, symbols</td><td>{@link String}</td></tr>
 *   <tr><td>bytes</td><td>{@code byte[]}</td></tr>
 *   <tr><td>UUID</td><td>{@link java.util.UUID}</td></tr>
 *   <tr><td>decimal</td><td>{@link java.math.BigDecimal}</td></tr>
 *   <tr><td>date</td><td>{@link java.time.LocalDate}</td></tr>
 *   <tr><td>time of day</td><td>{@link java.time.LocalTime}</td></tr>
 *   <tr><td>timestamp</td><td>{@link java.time.Instant}</td></tr>
 *   <tr><td>timestamp without zone</td><td>{@link java.time.LocalDateTime}</td></tr>
 *   <tr><td>list</td><td>{@link List}</td></tr>
 *   <tr><td>map</td><td>{@link Map}; of a duplicate key, the last value. Keys that are {@code byte[]} cannot be looked up</td></tr>
 *   <tr><td>struct</td><td>{@link Row}</td></tr>
 * </table>
 *
 * <p><b>Units.</b> Times are rounded down to microseconds when the row is written. Text must be valid Unicode: half of a surrogate pair is refused.
 *
 * <p><b>Missing data.</b> A field without a value is null. A required one may be null until the row is written.
 *
 * <p><b>Errors.</b> An unknown name is an {@link IllegalArgumentException} that lists the names of the row. Values are checked
 * when the row is written.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class Row {
    private final RowShape shape;
    private final @Nullable Object[] values;

    /** Creates a row without values. */
    public Row(RowShape shape) {
        this(shape, new Object[shape.names().size()]);
    }

    private Row(RowShape shape, @Nullable Object[] values) {
        this.shape = shape;
        this.values = values;
    }

    public RowShape shape() {
        return shape;
    }

    /** Returns the value of a field; null if it has none. */
    public @Nullable Object get(String name) {
        return values[shape.require(name)];
    }

    /**
     * Returns the value of a field; null if it has none.
     *
     * @throws IllegalArgumentException if the value is of another class
     */
    public <T> @Nullable T get(String name, Class<T> type) {
        Object value = get(name);
        if (value != null && !type.isInstance(value)) {
            throw new IllegalArgumentException(
                    "'%s' is a %s, not a %s".formatted(name, value.getClass().getSimpleName(), type.getSimpleName()));
        }
        return type.cast(value);
    }

    /** Returns the value of a text or symbols field; null if it has none. */
    public @Nullable String text(String name) {
        return get(name, String.class);
    }

    /** Returns the value of a struct field; null if it has none. */
    public @Nullable Row row(String name) {
        return get(name, Row.class);
    }

    /** Returns the value at a position of {@link #shape}; null if it has none. */
    public @Nullable Object at(int position) {
        return values[position];
    }

    /** Replaces a value; null removes it. Returns this row. */
    public Row set(String name, @Nullable Object value) {
        values[shape.require(name)] = value;
        return this;
    }

    /** Replaces the value at a position of {@link #shape}; null removes it. */
    public void setAt(int position, @Nullable Object value) {
        values[position] = value;
    }

    /** Creates a row without values for a field: for its value, the elements of its list or the values of its map. */
    public Row newRow(String name) {
        return new Row(shape.within(name));
    }

    /** Returns a copy with copies of the rows, lists and maps in it. */
    public Row copy() {
        @Nullable Object[] copies = new Object[values.length];
        for (int i = 0; i < copies.length; i++) {
            copies[i] = copyOf(values[i]);
        }
        return new Row(shape, copies);
    }

    private static @Nullable Object copyOf(@Nullable Object value) {
        if (value instanceof Row row) {
            return row.copy();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>(list.size());
            list.forEach(element -> copy.add(copyOf(element)));
            return copy;
        }
        if (value instanceof Map<?, ?> map) {
            Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((key, each) -> copy.put(key, copyOf(each)));
            return copy;
        }
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Row that
                && shape.names().equals(that.shape.names())
                && Arrays.deepEquals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(values);
    }

    /** The fields that have values, for people. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < values.length; i++) {
            if (values[i] != null) {
                text.append(text.length() == 1 ? "" : ", ")
                        .append(shape.names().get(i))
                        .append(": ")
                        .append(values[i] instanceof byte[] bytes ? bytes.length + " bytes" : values[i]);
            }
        }
        return text.append('}').toString();
    }
}
