package io.thalweg.records.write;

/** Writes days and microseconds as RFC 3339 text, in the years 0001 to 9999. */
final class JsonTimeWriter {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;
    private static final long FIRST_DAY = -719_162;
    private static final long LAST_DAY = 2_932_896;

    private JsonTimeWriter() {}

    static boolean isDay(long day) {
        return day >= FIRST_DAY && day <= LAST_DAY;
    }

    static boolean isTimestamp(long micros) {
        return isDay(Math.floorDiv(micros, MICROS_PER_DAY));
    }

    static boolean isTime(long micros) {
        return micros >= 0 && micros < MICROS_PER_DAY;
    }

    /**
     * Writes {@code 2026-11-20}.
     *
     * <p>Source: Howard Hinnant, "chrono-compatible low-level date algorithms", {@code civil_from_days}.
     */
    static void date(GrowingBytes out, long day) {
        long shifted = day + 719_468;
        long era = Math.floorDiv(shifted, 146_097);
        long dayOfEra = shifted - era * 146_097;
        long yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long fromMarch = (5 * dayOfYear + 2) / 153;
        long month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
        JsonLiterals.padded(out, yearOfEra + era * 400 + (month <= 2 ? 1 : 0), 4);
        out.put('-');
        JsonLiterals.padded(out, month, 2);
        out.put('-');
        JsonLiterals.padded(out, dayOfYear - (153 * fromMarch + 2) / 5 + 1, 2);
    }

    /** Writes {@code 08:05:00}, and a fraction of three or six digits unless it is zero. */
    static void time(GrowingBytes out, long micros) {
        long seconds = micros / MICROS_PER_SECOND;
        JsonLiterals.padded(out, seconds / 3_600, 2);
        out.put(':');
        JsonLiterals.padded(out, seconds / 60 % 60, 2);
        out.put(':');
        JsonLiterals.padded(out, seconds % 60, 2);
        long fraction = micros % MICROS_PER_SECOND;
        if (fraction != 0) {
            out.put('.');
            boolean millis = fraction % 1_000 == 0;
            JsonLiterals.padded(out, millis ? fraction / 1_000 : fraction, millis ? 3 : 6);
        }
    }

    /** Writes {@code 2026-11-20T08:05:00Z}. */
    static void timestamp(GrowingBytes out, long micros) {
        localTimestamp(out, micros);
        out.put('Z');
    }

    /** Writes {@code 2026-11-20T08:05:00}. */
    static void localTimestamp(GrowingBytes out, long micros) {
        date(out, Math.floorDiv(micros, MICROS_PER_DAY));
        out.put('T');
        time(out, Math.floorMod(micros, MICROS_PER_DAY));
    }
}
