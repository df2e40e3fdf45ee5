package io.thalweg.records.json;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.FieldType.Decimal;
import java.util.stream.LongStream;

/**
 * Converts numbers to decimals of a precision and a scale, digit by digit.
 *
 * <p><b>Threads.</b> One.
 */
final class JsonDecimals {
    private static final int MAX_BYTES = 16;
    /** Ten to the power of 0 to 18. */
    private static final long[] POWERS =
            LongStream.iterate(1, power -> power * 10).limit(19).toArray();

    private static final long SAFE = (Long.MAX_VALUE - 9) / 10;

    /** The unscaled value, big-endian, in the last {@link #length} bytes. */
    final byte[] bytes = new byte[MAX_BYTES];

    private int length;

    private long high;
    private long low;

    /** The length of the value converted last, 1 to 16. */
    int length() {
        return length;
    }

    /** The start of the value converted last in {@link #bytes}. */
    int from() {
        return MAX_BYTES - length;
    }

    /**
     * Converts a number.
     *
     * @param path for error messages
     * @throws BadRecordException OUT_OF_RANGE if it has more digits than the type, other than zeros after the point
     */
    void convert(JsonNumber number, Decimal type, String path) {
        if (isSmall(number, type)) {
            write(number.negative);
            return;
        }
        high = 0;
        low = 0;
        int kept = keptDigits(number, type.scale());
        int significant = 0;
        for (int i = number.from; i < number.to && (data(number, i) | 0x20) != 'e'; i++) {
            int digit = data(number, i) - '0';
            if (digit < 0) {
                continue;
            }
            if (kept-- > 0) {
                append(digit);
                significant += significant > 0 || digit > 0 ? 1 : 0;
            } else if (digit != 0) {
                throw outOfRange(type, path, "has more than %d digits after the point".formatted(type.scale()));
            }
            if (significant > type.precision()) {
                throw tooLarge(type, path);
            }
        }
        for (; kept > 0 && significant > 0; kept--) {
            append(0);
            if (++significant > type.precision()) {
                throw tooLarge(type, path);
            }
        }
        write(number.negative);
    }

    /** Converts a number that fits 18 digits. */
    private boolean isSmall(JsonNumber number, Decimal type) {
        int shift = number.exponent + type.scale();
        if (!number.exact || shift < 0 || shift >= POWERS.length || number.mantissa < 0) {
            return false;
        }
        // Neither the mantissa nor the product may have more digits than the largest power.
        int digits = Math.min(type.precision(), POWERS.length - 1) - shift;
        if (digits < 0 || number.mantissa >= POWERS[digits]) {
            return false;
        }
        high = 0;
        low = number.mantissa * POWERS[shift];
        return true;
    }

    private static byte data(JsonNumber number, int at) {
        return number.data[at];
    }

    /** Returns how many digits of the text, padded with zeros, precede the end of the scale. */
    private static int keptDigits(JsonNumber number, int scale) {
        int digits = 0;
        int fraction = 0;
        boolean behindPoint = false;
        for (int i = number.from; i < number.to && (data(number, i) | 0x20) != 'e'; i++) {
            if (data(number, i) == '.') {
                behindPoint = true;
            } else if (data(number, i) != '-') {
                digits++;
                fraction += behindPoint ? 1 : 0;
            }
        }
        return digits - fraction + number.explicitExponent() + scale;
    }

    private void append(int digit) {
        if (high == 0 && low >= 0 && low <= SAFE) {
            low = low * 10 + digit;
            return;
        }
        long carry = Math.multiplyHigh(low, 10) + (low >> 63 & 10);
        long sum = low * 10 + digit;
        high = high * 10 + carry + (Long.compareUnsigned(sum, digit) < 0 ? 1 : 0);
        low = sum;
    }

    private void write(boolean negative) {
        if (negative) {
            low = -low;
            high = ~high + (low == 0 ? 1 : 0);
        }
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) (high >>> (56 - 8 * i));
            bytes[i + 8] = (byte) (low >>> (56 - 8 * i));
        }
        int first = 0;
        // Skip bytes that only repeat the sign of the next one.
        while (first < MAX_BYTES - 1 && bytes[first] == bytes[first + 1] >> 7) {
            first++;
        }
        length = MAX_BYTES - first;
    }

    private static BadRecordException tooLarge(Decimal type, String path) {
        return outOfRange(type, path, "is too large");
    }

    private static BadRecordException outOfRange(Decimal type, String path, String why) {
        return new BadRecordException(
                RecordFault.OUT_OF_RANGE,
                "'%s' does not fit decimal(%d, %d): the number %s"
                        .formatted(path, type.precision(), type.scale(), why));
    }
}
