package io.thalweg.records.write;

import java.util.Arrays;

/** Writes numbers with a fraction as JSON text. */
final class JsonNumbers {
    private static final long LARGEST_EXACT = 1L << 53;

    /**
     * Decimal places in the order in which they are tried. Trailing zeros are dropped, so six places also cover fewer; large
     * numbers have no room for six.
     */
    private static final int[] PLACES = {6, 0, 9, 12, 15, 3};

    private static final double[] POWERS = {1e6, 1e0, 1e9, 1e12, 1e15, 1e3};
    private static final int CHUNK = 1_000_000_000;

    /** A magnitude in four words, the highest first, and its digits in chunks of nine, the lowest first. */
    private final int[] words = new int[4];

    private final int[] chunks = new int[5];

    /**
     * Writes a finite number such that parsing returns the same number.
     *
     * <p>The quotient of an integer below 2<sup>53</sup> and a power of ten up to 10<sup>22</sup> equals the result of a parser
     * for the decimal number with these digits, because both are exact and a division rounds correctly. Most numbers in messages
     * have few digits and are found this way; others use {@code Double.toString}, which creates objects.
     */
    static void float64(GrowingBytes out, double value, boolean narrow) {
        double magnitude = Math.abs(value);
        if (magnitude < LARGEST_EXACT) {
            for (int i = 0; i < POWERS.length; i++) {
                double scaled = Math.rint(magnitude * POWERS[i]);
                double back = scaled / POWERS[i];
                if (scaled < LARGEST_EXACT && (back == magnitude || (narrow && isNarrow(back, magnitude, scaled)))) {
                    decimal(out, value, (long) scaled, PLACES[i]);
                    return;
                }
            }
        }
        out.bytes(JsonLiterals.ascii(narrow ? Float.toString((float) value) : Double.toString(value)));
    }

    /** Returns whether a number of up to seven digits is closest to the same float. */
    private static boolean isNarrow(double back, double magnitude, double scaled) {
        return (float) back == (float) magnitude && scaled < 1L << 24;
    }

    private static void decimal(GrowingBytes out, double value, long digits, int places) {
        if (value < 0 || (value == 0 && 1 / value < 0)) {
            out.put('-');
        }
        long rest = digits;
        int kept = places;
        while (kept > 1 && rest % 10 == 0) {
            rest /= 10;
            kept--;
        }
        if (kept == 0) {
            JsonLiterals.integer(out, rest);
            out.put('.');
            out.put('0');
            return;
        }
        long power = power(kept);
        JsonLiterals.integer(out, rest / power);
        out.put('.');
        JsonLiterals.padded(out, rest % power, kept);
    }

    private static long power(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    /** Writes a decimal of 1 to 16 bytes in two's complement with {@code scale} digits after the point. */
    void decimal(GrowingBytes out, byte[] data, int from, int length, int scale) {
        if (load(data, from, length)) {
            out.put('-');
        }
        int used = 0;
        while (used == 0 || (words[0] | words[1] | words[2] | words[3]) != 0) {
            chunks[used++] = divide();
        }
        out.reserve(48);
        int first = out.at;
        JsonLiterals.integer(out, chunks[--used]);
        while (used > 0) {
            JsonLiterals.padded(out, chunks[--used], 9);
        }
        if (scale > 0) {
            point(out, first, scale);
        }
    }

    private static void point(GrowingBytes out, int first, int scale) {
        int missing = scale + 1 - (out.at - first);
        if (missing > 0) {
            out.shift(first, missing);
            Arrays.fill(out.data, first, first + missing, (byte) '0');
        }
        int position = out.at - scale;
        out.shift(position, 1);
        out.data[position] = '.';
    }

    /** Loads the magnitude into the words; returns whether the number is negative. */
    private boolean load(byte[] data, int from, int length) {
        boolean negative = data[from] < 0;
        int carry = negative ? 1 : 0;
        for (int i = 0; i < 16; i++) {
            int b = i < length ? data[from + length - 1 - i] & 0xFF : negative ? 0xFF : 0;
            int magnitude = (negative ? b ^ 0xFF : b) + carry;
            carry = magnitude >> 8;
            int word = 3 - (i >> 2);
            int shift = (i & 3) * 8;
            words[word] = (shift == 0 ? 0 : words[word]) | (magnitude & 0xFF) << shift;
        }
        return negative;
    }

    /** Divides the words by 10<sup>9</sup>; returns the remainder. */
    private int divide() {
        long remainder = 0;
        for (int i = 0; i < 4; i++) {
            long part = remainder << 32 | (words[i] & 0xFFFFFFFFL);
            words[i] = (int) (part / CHUNK);
            remainder = part % CHUNK;
        }
        return (int) remainder;
    }
}
