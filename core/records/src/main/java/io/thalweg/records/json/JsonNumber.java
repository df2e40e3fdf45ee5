package io.thalweg.records.json;

import io.thalweg.records.BadRecordException;

/**
 * One number: an integer of up to 19 digits times a power of ten, and the text for numbers that do not fit this form.
 *
 * <p><b>Threads.</b> One.
 */
final class JsonNumber {
    /** Numbers with more digits are refused before they are parsed, because parsing takes more than linear time. */
    static final int MAX_DIGITS = 1000;

    private static final int MANTISSA_DIGITS = 19;
    private static final int EXPONENT_BOUND = 1_000_000;
    private static final byte[] NONE = {};

    private final int maxDigits;

    byte[] data = NONE;
    int from;
    int to;

    boolean negative;

    /** The first 19 digits from the first that is not zero; unsigned. */
    long mantissa;

    /** The power of ten that the mantissa is multiplied by. */
    int exponent;

    /** Whether the mantissa contains all digits except trailing zeros. */
    boolean exact;

    private int explicitExponent;
    private long integer;

    JsonNumber() {
        this(MAX_DIGITS);
    }

    JsonNumber(int maxDigits) {
        this.maxDigits = maxDigits;
    }

    /**
     * Reads the number that begins at a byte.
     *
     * @return its end, or -1 if there is no number as RFC 8259 defines it
     */
    int scan(byte[] bytes, int begin, int end) {
        int i = begin;
        negative = i < end && bytes[i] == '-';
        if (negative) {
            i++;
        }
        int first = i;
        long value = 0;
        int digit;
        while (i < end && (digit = bytes[i] - '0') >= 0 && digit <= 9) {
            value = value * 10 + digit;
            i++;
        }
        int digits = i - first;
        if (digits == 0 || (bytes[first] == '0' && digits > 1)) {
            return -1;
        }
        int fraction = 0;
        if (i < end && bytes[i] == '.') {
            int point = ++i;
            while (i < end && (digit = bytes[i] - '0') >= 0 && digit <= 9) {
                value = value * 10 + digit;
                i++;
            }
            fraction = i - point;
            if (fraction == 0) {
                return -1;
            }
        }
        explicitExponent = 0;
        if (i < end && (bytes[i] | 0x20) == 'e') {
            i = scanExponent(bytes, i + 1, end);
            if (i < 0) {
                return -1;
            }
        }
        data = bytes;
        from = begin;
        to = i;
        mantissa = value;
        exponent = explicitExponent - fraction;
        exact = true;
        if (i - begin > maxDigits) {
            checkLength();
        }
        if (digits + fraction > MANTISSA_DIGITS) {
            shorten();
        }
        return i;
    }

    private int scanExponent(byte[] bytes, int begin, int end) {
        int i = begin;
        boolean minus = i < end && bytes[i] == '-';
        if (minus || (i < end && bytes[i] == '+')) {
            i++;
        }
        int first = i;
        int value = 0;
        int digit;
        while (i < end && (digit = bytes[i] - '0') >= 0 && digit <= 9) {
            value = Math.min(value * 10 + digit, EXPONENT_BOUND);
            i++;
        }
        explicitExponent = minus ? -value : value;
        return i == first ? -1 : i;
    }

    private void checkLength() {
        int digits = 0;
        for (int i = from; i < to; i++) {
            digits += isDigit(data[i]) ? 1 : 0;
        }
        if (digits > maxDigits) {
            throw BadRecordException.undecodable(
                    "a number has %d digits; at most %d are read; send it as text".formatted(digits, maxDigits));
        }
    }

    /** Reads the digits again, because the mantissa cannot hold all of them. */
    private void shorten() {
        long value = 0;
        int significant = 0;
        int dropped = 0;
        exact = true;
        for (int i = from; i < to && (data[i] | 0x20) != 'e'; i++) {
            int digit = data[i] - '0';
            if (digit < 0 || (significant == 0 && digit == 0)) {
                continue;
            }
            if (significant < MANTISSA_DIGITS) {
                value = value * 10 + digit;
                significant++;
            } else {
                dropped++;
                exact &= digit == 0;
            }
        }
        mantissa = value;
        exponent += dropped;
    }

    static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    /** The exponent as written, within bounds. */
    int explicitExponent() {
        return explicitExponent;
    }

    /** Returns whether the number is an integer of 64 bits in any notation; {@link #integer} then returns it. */
    boolean isInt64() {
        if (exponent == 0 && mantissa >= 0 && exact) {
            integer = negative ? -mantissa : mantissa;
            return true;
        }
        return exact && isInt64ByPower();
    }

    private boolean isInt64ByPower() {
        long value = mantissa;
        int power = exponent;
        if (value == 0) {
            integer = 0;
            return true;
        }
        for (; power < 0 && Long.remainderUnsigned(value, 10) == 0; power++) {
            value = Long.divideUnsigned(value, 10);
        }
        for (; power > 0 && value > 0 && value <= Long.MAX_VALUE / 10; power--) {
            value *= 10;
        }
        integer = negative ? -value : value;
        // The magnitude of the smallest integer is negative as a signed number.
        return power == 0 && (value >= 0 || (negative && value == Long.MIN_VALUE));
    }

    /** The integer, after {@link #isInt64}. */
    long integer() {
        return integer;
    }
}
