package io.thalweg.cli.sample;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a sample shows about one field.
 *
 * <p><b>Threads.</b> One. Remembers at most {@value #DISTINCT_MAX} different values.
 */
final class SampledField {
    static final int DISTINCT_MAX = 100_000;

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    private static final Pattern UUID = Pattern.compile("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final String path;
    private final Set<String> distinct = new HashSet<>();
    /** Null before the first value. */
    private @Nullable EnumSet<Kind> kinds;

    /** Null before the first value, and if the values are not times of one unit. */
    private @Nullable TimeUnitGuess unit;

    private long firstMs = Long.MAX_VALUE;
    private long lastMs = Long.MIN_VALUE;
    private long behindMs;
    private long values;
    private boolean isText;
    private double least = Double.POSITIVE_INFINITY;
    private double greatest = Double.NEGATIVE_INFINITY;

    /** What all values of a field are. */
    enum Kind {
        INTEGER,
        NUMBER,
        BOOL,
        UUID
    }

    SampledField(String path) {
        this.path = path;
    }

    /** As in a definition. */
    String path() {
        return path;
    }

    /**
     * Adds a value that is not null.
     *
     * @param isText whether it is text, which is not read as a number or boolean; false for all values of a format without types
     */
    void add(String value, boolean isText) {
        values++;
        this.isText |= isText;
        if (distinct.size() < DISTINCT_MAX) {
            distinct.add(value);
        }
        kinds = narrowed(kinds, kinds(value));
        if (values == 1 || unit != null) { // a field that had another value cannot be a time, and parsing text is slow
            TimeUnitGuess found = TimeUnitGuess.of(value);
            unit = values == 1 || unit == found ? found : null;
            if (unit != null) {
                addTime(unit.epochMs(value));
            }
        }
        if (kinds.contains(Kind.NUMBER)) {
            double number = Double.parseDouble(value);
            least = Math.min(least, number);
            greatest = Math.max(greatest, number);
        }
    }

    private void addTime(long ms) {
        behindMs = Math.max(behindMs, lastMs == Long.MIN_VALUE ? 0 : lastMs - ms);
        firstMs = Math.min(firstMs, ms);
        lastMs = Math.max(lastMs, ms);
    }

    private static EnumSet<Kind> kinds(String value) {
        EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
        if (INTEGER.matcher(value).matches()) {
            kinds.add(Kind.INTEGER);
        }
        if (NUMBER.matcher(value).matches()) {
            kinds.add(Kind.NUMBER);
        }
        if (value.equals("true") || value.equals("false")) {
            kinds.add(Kind.BOOL);
        }
        if (UUID.matcher(value).matches()) {
            kinds.add(Kind.UUID);
        }
        return kinds;
    }

    private static EnumSet<Kind> narrowed(@Nullable EnumSet<Kind> before, EnumSet<Kind> found) {
        if (before != null) {
            found.retainAll(before);
        }
        return found;
    }

    /** Whether there are values, and all are of this kind. */
    boolean is(Kind kind) {
        return kinds != null && kinds.contains(kind) && (kind == Kind.UUID || !isText);
    }

    /** Whether all values are numbers, of which some are written as text. */
    boolean isNumberText() {
        return isText && kinds != null && kinds.contains(Kind.NUMBER);
    }

    /** Whether the values are numbers to add up: numbers, or text with decimals. Text of digits is more often an id. */
    boolean isAmount() {
        return is(Kind.NUMBER) || (isNumberText() && kinds != null && !kinds.contains(Kind.INTEGER));
    }

    /** Returns the unit if all values are times of the same unit. */
    @Nullable
    TimeUnitGuess unit() {
        return unit;
    }

    /**
     * The times of the events.
     *
     * @param firstMs of the earliest event, epoch ms
     * @param lastMs of the latest event, epoch ms
     * @param behindMs how far an event is behind the latest before it, at most
     */
    record Times(long firstMs, long lastMs, long behindMs) {}

    /** Returns the values as times, if they have a {@link #unit}. */
    Times times() {
        return new Times(firstMs, lastMs, behindMs);
    }

    /** The number of values that are not null. */
    long values() {
        return values;
    }

    /** The number of different values, at most {@value #DISTINCT_MAX}. */
    int distinct() {
        return distinct.size();
    }

    double least() {
        return least;
    }

    double greatest() {
        return greatest;
    }

    /** The type of an entity or of {@code count_distinct}, as in a definition. */
    String keyType() {
        return is(Kind.UUID) ? "uuid" : is(Kind.INTEGER) ? "int64" : is(Kind.BOOL) ? "bool" : "string";
    }
}
