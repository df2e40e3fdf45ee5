package io.thalweg.cli.sample;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which events write their time, as {@code event_time.unit} names them. A whole number is a time if it lies between the
 * years 2000 and 2100 in one of the units; the ranges of two units do not overlap.
 */
enum TimeUnitGuess {
    SECONDS("s", 1),
    MILLISECONDS("ms", 1_000),
    MICROSECONDS("us", 1_000_000),
    NANOSECONDS("ns", 1_000_000_000),
    /** Text with an offset from UTC. */
    ISO("iso8601", 0),
    /** Text without an offset. */
    ISO_LOCAL("iso8601", 0);

    private static final long FIRST_SECOND = 946_684_800; // 2000-01-01
    private static final long LAST_SECOND = 4_102_444_800L; // 2100-01-01

    private final String text;
    private final long perSecond;

    TimeUnitGuess(String text, long perSecond) {
        this.text = text;
        this.perSecond = perSecond;
    }

    /** As in a definition. */
    String text() {
        return text;
    }

    /** Returns the unit in which a value is a time; null if it is none. */
    static @Nullable TimeUnitGuess of(String value) {
        if (value.matches("[0-9]{9,19}")) {
            for (TimeUnitGuess unit : values()) {
                if (unit.perSecond > 0 && isPlausible(Long.parseLong(value) / unit.perSecond)) {
                    return unit;
                }
            }
            return null;
        }
        String text = value.replaceFirst("^([0-9-]{10}) ", "$1T");
        try {
            return isPlausible(OffsetDateTime.parse(text).toEpochSecond()) ? ISO : null;
        } catch (DateTimeException e) {
            return isLocal(text) ? ISO_LOCAL : null;
        }
    }

    private static boolean isLocal(String text) {
        try {
            return isPlausible(LocalDateTime.parse(text).toEpochSecond(ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static boolean isPlausible(long second) {
        return second >= FIRST_SECOND && second < LAST_SECOND;
    }

    /** Returns a value of this unit, epoch ms; a text without an offset is taken as UTC. */
    long epochMs(String value) {
        if (perSecond > 0) {
            long number = Long.parseLong(value);
            return perSecond >= 1_000 ? number / (perSecond / 1_000) : number * 1_000;
        }
        String text = value.replaceFirst("^([0-9-]{10}) ", "$1T");
        Instant at = this == ISO
                ? OffsetDateTime.parse(text).toInstant()
                : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        return at.toEpochMilli();
    }
}
