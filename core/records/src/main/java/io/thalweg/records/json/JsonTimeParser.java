package io.thalweg.records.json;

/**
 * Reads dates and times as RFC 3339 defines them, of the years 0001 to 9999. Digits of the fraction beyond microseconds are
 * dropped. Leap seconds are refused, because tables cannot hold them.
 *
 * <p>Methods return {@link #MALFORMED} for other text, and {@link #OUT_OF_RANGE} for a moment outside these years.
 */
final class JsonTimeParser {
    static final long MALFORMED = Long.MIN_VALUE;
    static final long OUT_OF_RANGE = Long.MIN_VALUE + 1;

    private static final long SECOND = 1_000_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final int DATE_LENGTH = 10;
    private static final int TIME_LENGTH = 8;
    private static final long FIRST = days(1, 1, 1) * DAY;
    private static final long AFTER_LAST = days(10000, 1, 1) * DAY;

    private JsonTimeParser() {}

    /** Parses a date such as {@code 2026-11-23} to days since 1970-01-01. */
    static long date(byte[] text, int from, int length) {
        return length == DATE_LENGTH ? dateAt(text, from) : MALFORMED;
    }

    /** Parses a time such as {@code 09:30:00.5} to microseconds since midnight; it may end with an offset of zero. */
    static long time(byte[] text, int from, int length) {
        int end = from + length;
        long time = timeAt(text, from, end);
        int behind = behindTime(text, from, end);
        boolean isUtc = behind == end || offsetAt(text, behind, end) == 0;
        return time != MALFORMED && isUtc ? time : MALFORMED;
    }

    /** Parses {@code 2026-11-23T09:30:00.5+01:00} to microseconds since 1970-01-01T00:00Z; the offset is required. */
    static long timestamp(byte[] text, int from, int length) {
        int end = from + length;
        if (length <= DATE_LENGTH || !isSeparator(text[from + DATE_LENGTH])) {
            return MALFORMED;
        }
        long days = dateAt(text, from);
        long time = timeAt(text, from + DATE_LENGTH + 1, end);
        long offset = offsetAt(text, behindTime(text, from + DATE_LENGTH + 1, end), end);
        if (days == MALFORMED || time == MALFORMED || offset == MALFORMED) {
            return MALFORMED;
        }
        if (days == OUT_OF_RANGE) {
            return OUT_OF_RANGE;
        }
        long moment = days * DAY + time - offset;
        return moment >= FIRST && moment < AFTER_LAST ? moment : OUT_OF_RANGE;
    }

    private static boolean isSeparator(byte b) {
        return b == 'T' || b == 't' || b == ' ';
    }

    private static long dateAt(byte[] text, int at) {
        int century = two(text, at);
        int yearOfCentury = two(text, at + 2);
        int month = two(text, at + 5);
        int day = two(text, at + 8);
        if ((century | yearOfCentury | month | day) < 0 || text[at + 4] != '-' || text[at + 7] != '-') {
            return MALFORMED;
        }
        int year = century * 100 + yearOfCentury;
        if (month < 1 || month > 12 || day < 1 || day > lengthOfMonth(year, month)) {
            return MALFORMED;
        }
        return year == 0 ? OUT_OF_RANGE : days(year, month, day);
    }

    private static long timeAt(byte[] text, int at, int end) {
        if (end - at < TIME_LENGTH || text[at + 2] != ':' || text[at + 5] != ':') {
            return MALFORMED;
        }
        int hour = two(text, at);
        int minute = two(text, at + 3);
        int second = two(text, at + 6);
        if ((hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 59) {
            return MALFORMED;
        }
        return hour * HOUR + minute * MINUTE + second * SECOND + fractionAt(text, at + TIME_LENGTH, end);
    }

    /** Returns the microseconds of a fraction, or 0 if there is none. */
    private static long fractionAt(byte[] text, int at, int end) {
        if (at >= end || text[at] != '.') {
            return 0;
        }
        long micros = 0;
        long unit = SECOND / 10;
        for (int i = at + 1; i < end && unit > 0 && JsonNumber.isDigit(text[i]); i++) {
            micros += (text[i] - '0') * unit;
            unit /= 10;
        }
        return micros;
    }

    /** Returns the start of the offset of a time; {@link Integer#MAX_VALUE} if the fraction is malformed. */
    private static int behindTime(byte[] text, int at, int end) {
        int i = at + TIME_LENGTH;
        if (i < end && text[i] == '.') {
            int first = ++i;
            while (i < end && JsonNumber.isDigit(text[i])) {
                i++;
            }
            return i == first ? Integer.MAX_VALUE : i;
        }
        return i;
    }

    /** Returns the microseconds of the offset that fills the rest of the text, such as {@code Z} or {@code +01:00}. */
    private static long offsetAt(byte[] text, int at, int end) {
        if (at == end - 1 && (text[at] | 0x20) == 'z') {
            return 0;
        }
        if (at != end - 6 || (text[at] != '+' && text[at] != '-') || text[at + 3] != ':') {
            return MALFORMED;
        }
        int hour = two(text, at + 1);
        int minute = two(text, at + 4);
        if ((hour | minute) < 0 || hour > 23 || minute > 59) {
            return MALFORMED;
        }
        long offset = hour * HOUR + minute * MINUTE;
        return text[at] == '-' ? -offset : offset;
    }

    /** Returns the value of two digits, or a negative number. */
    private static int two(byte[] text, int at) {
        int tens = text[at] - '0';
        int ones = text[at + 1] - '0';
        return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
    }

    private static int lengthOfMonth(int year, int month) {
        if (month == 2) {
            return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }

    /** Returns the days since 1970-01-01 in the Gregorian calendar. Years start in March here, so that leap days come last. */
    private static long days(int year, int month, int day) {
        int y = month <= 2 ? year - 1 : year;
        int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        return 365L * y + y / 4 - y / 100 + y / 400 + dayOfYear - 719468;
    }
}
