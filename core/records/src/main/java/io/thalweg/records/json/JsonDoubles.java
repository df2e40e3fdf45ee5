package io.thalweg.records.json;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * Converts numbers to the nearest {@code double} or {@code float}; ties go to even.
 *
 * <p><b>Cost.</b> Nearly all numbers take one or two multiplications. The rest use {@link Double#parseDouble}, which creates
 * objects: subnormal numbers, and numbers within 2<sup>-64</sup> of the middle between two doubles.
 */
/*
 * Mechanism: if digits and power of ten are exact as doubles, one operation rounds correctly (W. D. Clinger, "How to Read
 * Floating Point Numbers Accurately", 1990). Otherwise the digits are multiplied by 128 bits of the power of ten, and a check
 * ensures that the product's error, below one unit in the last place, does not matter (M. Eisel and D. Lemire, "Number Parsing at
 * a Gigabyte per Second", 2021). With more than 19 digits, both the digits and their successor must give the same result.
 */
final class JsonDoubles {
    private static final long LARGEST_EXACT = 1L << 53;
    private static final int LARGEST_EXACT_POWER = 22;
    private static final double[] EXACT_POWERS = new double[LARGEST_EXACT_POWER + 1];

    private static final int MIN_POWER = -330;
    private static final int MAX_POWER = 308;
    /** The highest 128 bits of each power of ten. */
    private static final long[] POWERS_HIGH = new long[MAX_POWER - MIN_POWER + 1];

    private static final long[] POWERS_LOW = new long[POWERS_HIGH.length];

    static {
        for (int i = 0; i < EXACT_POWERS.length; i++) {
            EXACT_POWERS[i] = Double.parseDouble("1e" + i);
        }
        for (int power = MIN_POWER; power <= MAX_POWER; power++) {
            BigInteger ten = BigInteger.TEN.pow(Math.abs(power));
            BigInteger value = power >= 0
                    ? ten
                    : BigInteger.ONE.shiftLeft(ten.bitLength() + 130).divide(ten);
            BigInteger bits = value.shiftRight(value.bitLength() - 128);
            POWERS_HIGH[power - MIN_POWER] = bits.shiftRight(64).longValue();
            POWERS_LOW[power - MIN_POWER] = bits.longValue();
        }
    }

    private JsonDoubles() {}

    /** Returns the nearest double; infinite if the number is beyond the largest. */
    static double toDouble(JsonNumber number) {
        long mantissa = number.mantissa;
        int power = number.exponent;
        if (number.exact && mantissa >= 0 && mantissa <= LARGEST_EXACT && Math.abs(power) <= LARGEST_EXACT_POWER) {
            double value = mantissa;
            value = power < 0 ? value / EXACT_POWERS[-power] : value * EXACT_POWERS[power];
            return number.negative ? -value : value;
        }
        double value = approximate(mantissa, power);
        boolean isCertain = value >= 0 && (number.exact || value == approximate(mantissa + 1, power));
        return isCertain ? number.negative ? -value : value : parse(number);
    }

    /**
     * Returns the nearest float; infinite if the number is beyond the largest.
     *
     * @param nearest the nearest double
     */
    static float toFloat(JsonNumber number, double nearest) {
        // A double midway between two floats may itself be rounded; rounding it again could give the wrong float.
        boolean isMiddle = (Double.doubleToRawLongBits(nearest) & 0x1FFF_FFFFL) == 0x1000_0000L;
        boolean isSmall = Math.abs(nearest) < 2 * Float.MIN_NORMAL && nearest != 0;
        return isMiddle || isSmall ? Float.parseFloat(text(number)) : (float) nearest;
    }

    private static double parse(JsonNumber number) {
        return Double.parseDouble(text(number));
    }

    private static String text(JsonNumber number) {
        return new String(number.data, number.from, number.to - number.from, StandardCharsets.ISO_8859_1);
    }

    /** Returns the double nearest to {@code mantissa * 10^power}, or NaN if 128 bits do not decide it or it is not normal. */
    private static double approximate(long mantissa, int power) {
        if (mantissa == 0 || power < MIN_POWER || power > MAX_POWER) {
            return Double.NaN;
        }
        int zeros = Long.numberOfLeadingZeros(mantissa);
        long digits = mantissa << zeros;
        long factor = POWERS_HIGH[power - MIN_POWER];
        long high = multiplyHigh(digits, factor);
        long low = digits * factor;
        if ((high & 0x1FF) == 0x1FF && Long.compareUnsigned(low + digits, digits) < 0) {
            long rest = POWERS_LOW[power - MIN_POWER];
            long restHigh = multiplyHigh(digits, rest);
            long restLow = digits * rest;
            low += restHigh;
            if (Long.compareUnsigned(low, restHigh) < 0) {
                high++;
            }
            if ((high & 0x1FF) == 0x1FF && low == -1 && Long.compareUnsigned(restLow + digits, digits) < 0) {
                return Double.NaN;
            }
        }
        return round(high, low, ((217706 * power) >> 16) + 64 + 1023 - zeros);
    }

    /** Rounds a product of two numbers of 64 bits, each with its highest bit set, to a double. */
    private static double round(long high, long low, int biasedExponent) {
        int carry = (int) (high >>> 63);
        long bits = high >>> (carry + 9);
        int exponent = biasedExponent - (1 ^ carry);
        if (low == 0 && (high & 0x1FF) == 0 && (bits & 3) == 1) {
            return Double.NaN;
        }
        bits = (bits + (bits & 1)) >>> 1;
        if (bits >>> 53 != 0) {
            bits >>>= 1;
            exponent++;
        }
        if (exponent < 1 || exponent > 0x7FE) {
            return Double.NaN;
        }
        return Double.longBitsToDouble((long) exponent << 52 | (bits & 0x000F_FFFF_FFFF_FFFFL));
    }

    private static long multiplyHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
    }
}
