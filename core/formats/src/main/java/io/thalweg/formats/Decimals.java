package io.thalweg.formats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Decimal numbers as text in bytes: validation, their values as long and double, and their exact floor on a scale. */
public final class Decimals {
    /** Represents a floor of more than 18 digits. */
    static final long TOO_BIG = Long.MAX_VALUE;

    private static final int LONG_DIGITS = 19;
    /** A decimal of at most this many digits without exponent is the quotient of two exact doubles. */
    static final int SAFE_DIGITS = 15;

    private static final int MAX_EXPONENT = 100_000_000;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ZEROS = 0x3030303030303030L;
    private static final double[] POWERS_OF_TEN = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    private Decimals() {}

    /**
     * Whether the text is a decimal number: {@code [+-]digits[.digits][e[+-]digits]}, with digits on at least one side
     * of the dot.
     */
    public static boolean isNumber(byte[] data, int offset, int length) {
        int end = offset + length;
        int at = offset < end && isSign(data[offset]) ? offset + 1 : offset;
        int digits = at;
        at = skipDigits(data, at, end);
        int count = at - digits;
        if (at < end && data[at] == '.') {
            int fraction = at + 1;
            at = skipDigits(data, fraction, end);
            count += at - fraction;
        }
        if (count == 0) {
            return false;
        }
        if (at < end && (data[at] == 'e' || data[at] == 'E')) {
            at++;
            at = at < end && isSign(data[at]) ? at + 1 : at;
            int exponent = at;
            at = skipDigits(data, at, end);
            return at == end && at > exponent;
        }
        return at == end;
    }

    /** Whether the text is {@code NaN} or an infinity, as {@link Double#parseDouble} knows them. */
    public static boolean isNonFinite(byte[] data, int offset, int length) {
        int sign = length > 0 && isSign(data[offset]) ? 1 : 0;
        String name = new String(data, offset + sign, Math.min(length - sign, 9), StandardCharsets.ISO_8859_1);
        return name.equals("NaN") || name.equals("Infinity");
    }

    /** Whether the text is an integer {@code [+-]digits} that fits 64 bits. */
    public static boolean isLong(byte[] data, int offset, int length) {
        int end = offset + length;
        int sign = length > 0 && isSign(data[offset]) ? 1 : 0;
        int first = offset + sign;
        if (first == end || skipDigits(data, first, end) != end) {
            return false;
        }
        while (first < end - 1 && data[first] == '0') {
            first++;
        }
        int digits = end - first;
        return digits < LONG_DIGITS
                || (digits == LONG_DIGITS && fits(data, first, end, sign == 1 && data[offset] == '-'));
    }

    /** Parses a text for which {@link #isLong} holds. */
    public static long parseLong(byte[] data, int offset, int length) {
        boolean negative = data[offset] == '-';
        long value = 0;
        for (int at = isSign(data[offset]) ? offset + 1 : offset; at < offset + length; at++) {
            value = 10 * value - (data[at] - '0');
        }
        return negative ? value : -value;
    }

    /** Parses as {@link Double#parseDouble} does a text for which {@link #isNumber} or {@link #isNonFinite} holds. */
    public static double parseDouble(byte[] data, int offset, int length) {
        // Up to 15 digits and 22 places: both are exact doubles, so one division rounds correctly (Clinger 1990).
        int end = offset + length;
        boolean negative = data[offset] == '-';
        long digits = 0;
        int count = 0;
        int places = -1;
        for (int at = isSign(data[offset]) ? offset + 1 : offset; at < end; at++) {
            byte b = data[at];
            if (b == '.') {
                places = 0;
            } else if (b >= '0' && b <= '9' && ++count <= SAFE_DIGITS) {
                digits = 10 * digits + (b - '0');
                places += places >= 0 ? 1 : 0;
            } else {
                return Double.parseDouble(new String(data, offset, length, StandardCharsets.ISO_8859_1));
            }
        }
        double value = digits / POWERS_OF_TEN[Math.max(places, 0)];
        return negative ? -value : value;
    }

    /** Returns the value of 1 to 15 digits; reads up to fifteen bytes from {@code offset} on, digits or not. */
    static long digits(byte[] data, int offset, int count) {
        if (count <= 8) {
            return eightDigits(((long) LONGS.get(data, offset) ^ ZEROS) << (8 * (8 - count)));
        }
        long begin = eightDigits(((long) LONGS.get(data, offset) ^ ZEROS) << (8 * (16 - count)));
        return begin * 100_000_000 + eightDigits((long) LONGS.get(data, offset + count - 8) ^ ZEROS);
    }

    /** Combines eight digits, the first in the lowest byte: pairs, then fours, then all. */
    private static long eightDigits(long digits) {
        long pairs = (digits * 10 + (digits >>> 8)) & 0x00FF00FF00FF00FFL;
        long fours = (pairs * 100 + (pairs >>> 16)) & 0x0000FFFF0000FFFFL;
        return (fours * 10_000 + (fours >>> 32)) & 0xFFFFFFFFL;
    }

    /**
     * Returns the double of {@code whole.fraction}, of at most 15 digits in all, {@code places} of them after the
     * point.
     */
    static double decimal(long whole, long fraction, int places) {
        double scale = POWERS_OF_TEN[places];
        return (whole * (long) scale + fraction) / scale;
    }

    /**
     * Returns the exact {@code floor(number * 10^shift)} of a text for which {@link #isNumber} holds; {@link #TOO_BIG} beyond 18
     * digits, and -1 for every negative number. Takes linear time in the text for any exponent.
     */
    static long floor(byte[] data, int offset, int length, int shift) {
        int end = offset + length;
        int at = isSign(data[offset]) ? offset + 1 : offset;
        int mantissa = at;
        while (at < end && data[at] != 'e' && data[at] != 'E') {
            at++;
        }
        int mantissaEnd = at;
        long exponent = at < end ? exponent(data, at + 1, end) : 0;
        long point = shift + exponent + integerDigits(data, mantissa, mantissaEnd);
        long value = 0;
        boolean zero = true;
        long place = 0;
        for (int i = mantissa; i < mantissaEnd; i++) {
            if (data[i] == '.') {
                continue;
            }
            int digit = data[i] - '0';
            zero &= digit == 0;
            if (place++ < point && !zero) {
                if (value >= 100_000_000_000_000_000L) {
                    return data[offset] == '-' ? -1 : TOO_BIG;
                }
                value = 10 * value + digit;
            }
        }
        if (data[offset] == '-' && !zero) {
            return -1;
        }
        for (; place < point && value != 0; place++) {
            if (value >= 100_000_000_000_000_000L) {
                return TOO_BIG;
            }
            value *= 10;
        }
        return value;
    }

    /** Compares an integer with a finite double or infinity by their exact values. */
    static int compare(long integer, double number) {
        if (number >= 0x1p63) {
            return -1;
        }
        if (number < -0x1p63) {
            return 1;
        }
        long whole = (long) number;
        return integer != whole ? Long.compare(integer, whole) : Double.compare(0.0, number - whole + 0.0);
    }

    private static int integerDigits(byte[] data, int from, int end) {
        return skipDigits(data, from, end) - from;
    }

    private static long exponent(byte[] data, int from, int end) {
        boolean negative = data[from] == '-';
        long value = 0;
        for (int at = isSign(data[from]) ? from + 1 : from; at < end; at++) {
            value = Math.min(MAX_EXPONENT, 10 * value + (data[at] - '0'));
        }
        return negative ? -value : value;
    }

    private static boolean fits(byte[] data, int first, int end, boolean negative) {
        String limit = negative ? "9223372036854775808" : "9223372036854775807";
        return new String(data, first, end - first, StandardCharsets.ISO_8859_1).compareTo(limit) <= 0;
    }

    private static boolean isSign(byte b) {
        return b == '-' || b == '+';
    }

    private static int skipDigits(byte[] data, int from, int end) {
        int at = from;
        while (at < end && data[at] >= '0' && data[at] <= '9') {
            at++;
        }
        return at;
    }
}
