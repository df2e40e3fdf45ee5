package io.thalweg.formats;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * ISO 8601 timestamps: {@code 2026-01-31T18:00[:00[.123456789]]} and {@code Z}, {@code +01:00}, {@code +0100} or {@code +01}; a
 * space may replace the {@code T}. Without an offset they are local times of a zone. The time is truncated to whole ms.
 *
 * <p><b>Local times.</b> The rule of {@link java.time.ZonedDateTime#ofLocal}: an ambiguous time, when clocks are set back, is the
 * earlier one; a skipped time, when clocks are set forward, moves forward by the length of the gap.
 */
final class IsoTime {
    /** The result of {@link #parseMs} for text that is not a timestamp, or has no offset and no zone. */
    static final long INVALID = Long.MIN_VALUE;

    private static final int MAX_OFFSET_MINUTES = 18 * 60;

    private final byte[] data;
    private final int begin;
    private final int end;
    private final @Nullable ZoneId zone;
    private int at;
    /** What is wrong, the first problem; null while nothing is. */
    private @Nullable String wrong;

    private IsoTime(byte[] data, int offset, int length, @Nullable ZoneId zone) {
        this.data = data;
        this.begin = offset;
        this.at = offset;
        this.end = offset + length;
        this.zone = zone;
    }

    /**
     * Reads a timestamp as epoch ms.
     *
     * @param zone of timestamps without an offset; null = they are {@link #INVALID}
     */
    static long parseMs(byte[] data, int offset, int length, @Nullable ZoneId zone) {
        return new IsoTime(data, offset, length, zone).parse();
    }

    /** Returns why {@link #parseMs} finds a text invalid, such as {@code there is no such day}. */
    static String problem(byte[] data, int offset, int length, @Nullable ZoneId zone) {
        IsoTime time = new IsoTime(data, offset, length, zone);
        time.parse();
        return String.valueOf(time.wrong);
    }

    private void fail(String problem) {
        if (wrong == null) {
            wrong = problem;
        }
    }

    /** Returns the epoch ms of a local time, which is given as the epoch ms that it would have in UTC. */
    static long localMs(long utcMs, ZoneId zone) {
        LocalDateTime local = LocalDateTime.ofEpochSecond(Math.floorDiv(utcMs, 1_000L), 0, ZoneOffset.UTC);
        return utcMs - zone.getRules().getOffset(local).getTotalSeconds() * 1_000L;
    }

    private long parse() {
        int year = digits(4);
        expect("-");
        int month = digits(2);
        expect("-");
        int day = digits(2);
        expect("Tt ");
        int hour = digits(2);
        expect(":");
        int minute = digits(2);
        int second = 0;
        int nanos = 0;
        if (peek(":")) {
            at++;
            second = digits(2);
            nanos = peek(".,") ? fraction() : 0;
        }
        ZoneId local = at == end ? zone : null;
        if (wrong == null && at == end && local == null) {
            fail("it has no offset");
        }
        int offsetMinutes = local == null ? offsetMinutes() : 0;
        if (at != end) {
            fail("text follows the time");
        }
        if (hour > 23 || minute > 59 || second > 59) {
            fail("there is no such time of day");
        }
        if (wrong != null) {
            return INVALID;
        }
        long epochDay;
        try {
            epochDay = LocalDate.of(year, month, day).toEpochDay();
        } catch (DateTimeException e) {
            fail("there is no such day");
            return INVALID;
        }
        long seconds = epochDay * 86_400 + hour * 3_600L + minute * 60L + second - offsetMinutes * 60L;
        long ms = seconds * 1_000 + nanos / 1_000_000;
        return local == null ? ms : localMs(ms, local);
    }

    private int offsetMinutes() {
        if (peek("Zz")) {
            at++;
            return 0;
        }
        boolean negative = peek("-");
        expect("+-");
        int minutes = 60 * digits(2);
        if (peek(":")) {
            at++;
            minutes += minutesPart();
        } else if (at < end) {
            minutes += minutesPart();
        }
        if (minutes > MAX_OFFSET_MINUTES) {
            fail("its offset is above 18 hours");
        }
        return negative ? -minutes : minutes;
    }

    private int minutesPart() {
        int minutes = digits(2);
        if (minutes >= 60) {
            fail("the minutes of its offset are above 59");
        }
        return minutes;
    }

    private int fraction() {
        at++;
        int nanos = 0;
        int count = 0;
        for (; at < end && data[at] >= '0' && data[at] <= '9'; at++) {
            nanos = count < 9 ? 10 * nanos + (data[at] - '0') : 0;
            count++;
        }
        if (count < 1 || count > 9) {
            fail("its fraction of a second must have 1 to 9 digits");
        }
        for (; count < 9; count++) {
            nanos *= 10;
        }
        return nanos;
    }

    private int digits(int count) {
        int value = 0;
        for (int i = 0; i < count; i++, at++) {
            if (at >= end || data[at] < '0' || data[at] > '9') {
                misfit();
                return 0;
            }
            value = 10 * value + (data[at] - '0');
        }
        return value;
    }

    /** Reports that the text is not of the form at this position. */
    private void misfit() {
        if (wrong == null) {
            wrong = at >= end
                    ? "it ends too early"
                    : "it is not of this form at character "
                            + (new String(data, begin, at - begin, StandardCharsets.UTF_8).length() + 1);
        }
    }

    private boolean peek(String any) {
        return at < end && any.indexOf(data[at]) >= 0;
    }

    private void expect(String any) {
        if (!peek(any)) {
            misfit();
        }
        at++;
    }
}
