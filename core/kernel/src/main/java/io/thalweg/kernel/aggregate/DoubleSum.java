package io.thalweg.kernel.aggregate;

import java.math.BigInteger;

/**
 * The exact sum of finite doubles, rounded once at the end: to the nearest double, ties to even, infinite only if the exact sum
 * exceeds all doubles. An empty sum, or one that cancels out, is {@code 0.0}.
 *
 * <p><b>Cost.</b> Two words and a few nanoseconds for values whose magnitudes are within about 60 powers of two, the usual case.
 * Others spill to a {@code BigInteger} of up to 270 bytes, at about 200 ns per input.
 */
/*
 * A double is an integer of 53 bits times a power of two not below 2^-1074. A partial is the same with 116 bits: the upper 12
 * bits of the first word are the exponent above -1074, its lower 52 bits and the second word the integer, two's complement.
 * The exponent is that of the finest input so far, so sums align by shifting left and no bit is ever dropped. A sum that needs
 * more bits is stored in the spill as a multiple of 2^-1074, under the exponent SPILLED; it returns to the words when it fits again.
 */
public final class DoubleSum implements Sum {
    public static final DoubleSum INSTANCE = new DoubleSum();

    private static final int INTEGER_BITS = 115; // and a sign
    private static final int EXPONENT_SHIFT = 52;
    private static final long HIGH_MASK = (1L << EXPONENT_SHIFT) - 1;
    private static final int SPILLED = 0xFFF;
    private static final int UNIT = -1074;

    private DoubleSum() {}

    @Override
    public int words() {
        return 2;
    }

    @Override
    public void accumulate(long[] words, int at, Spill spill, long input) {
        int biased = (int) (input >>> EXPONENT_SHIFT) & 0x7FF;
        long magnitude = biased == 0 ? input & HIGH_MASK : (input & HIGH_MASK) | 1L << EXPONENT_SHIFT;
        if (magnitude != 0) {
            int zeros = Long.numberOfTrailingZeros(magnitude);
            long integer = magnitude >>> zeros;
            long signed = input < 0 ? -integer : integer;
            add(words, at, spill, signed >> 63, signed, Math.max(0, biased - 1) + zeros);
        }
    }

    @Override
    public void merge(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill) {
        if (isSpilled(other, otherAt)) {
            set(words, at, spill, units(words, at, spill).add(otherSpill.get(other[otherAt + 1])));
        } else {
            add(words, at, spill, high(other, otherAt), other[otherAt + 1], exponent(other, otherAt));
        }
    }

    @Override
    public void subtract(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill) {
        if (isSpilled(other, otherAt)) {
            set(words, at, spill, units(words, at, spill).subtract(otherSpill.get(other[otherAt + 1])));
        } else {
            long low = other[otherAt + 1];
            long high = ~high(other, otherAt) + (low == 0 ? 1 : 0);
            add(words, at, spill, high, -low, exponent(other, otherAt));
        }
    }

    private static void add(long[] words, int at, Spill spill, long high, long low, int exponent) {
        if (!addInPlace(words, at, high, low, exponent)) {
            BigInteger added = IntegerSum.big(high, low).shiftLeft(exponent);
            set(words, at, spill, units(words, at, spill).add(added));
        }
    }

    /** Adds in place; returns false and changes nothing if the sum does not fit. */
    private static boolean addInPlace(long[] words, int at, long addHigh, long addLow, int addExponent) {
        int exponent = exponent(words, at);
        if (exponent == SPILLED) {
            return false;
        }
        long high = high(words, at);
        long low = words[at + 1];
        if ((high | low) == 0) {
            pack(words, at, addHigh, addLow, addExponent);
            return true;
        }
        int shift = addExponent - exponent;
        if (shift > 0) {
            if (bits(addHigh, addLow) + shift > INTEGER_BITS) {
                return false;
            }
            addHigh = shiftHigh(addHigh, addLow, shift);
            addLow = shiftLow(addLow, shift);
        } else if (shift < 0) {
            if (bits(high, low) - shift > INTEGER_BITS) {
                return false;
            }
            high = shiftHigh(high, low, -shift);
            low = shiftLow(low, -shift);
            exponent = addExponent;
        }
        long sum = low + addLow;
        high += addHigh + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
        if (high << 12 >> 12 != high) {
            return false;
        }
        pack(words, at, high, sum, exponent);
        return true;
    }

    private static void pack(long[] words, int at, long high, long low, int exponent) {
        boolean zero = (high | low) == 0;
        words[at] = zero ? 0 : (long) exponent << EXPONENT_SHIFT | (high & HIGH_MASK);
        words[at + 1] = low;
    }

    private static int exponent(long[] words, int at) {
        return (int) (words[at] >>> EXPONENT_SHIFT);
    }

    private static long high(long[] words, int at) {
        return words[at] << 12 >> 12;
    }

    private static boolean isSpilled(long[] words, int at) {
        return exponent(words, at) == SPILLED;
    }

    /** The number of bits of an integer without its sign. */
    private static int bits(long high, long low) {
        return high == low >> 63
                ? 64 - Long.numberOfLeadingZeros(low ^ low >> 63)
                : 128 - Long.numberOfLeadingZeros(high ^ high >> 63);
    }

    /** The upper word after a shift by 1 to 127. */
    private static long shiftHigh(long high, long low, int shift) {
        return shift < 64 ? high << shift | low >>> (64 - shift) : low << (shift - 64);
    }

    private static long shiftLow(long low, int shift) {
        return shift < 64 ? low << shift : 0;
    }

    /** The partial as a multiple of 2^-1074. */
    private static BigInteger units(long[] words, int at, Spill spill) {
        if (isSpilled(words, at)) {
            return spill.get(words[at + 1]);
        }
        return IntegerSum.big(high(words, at), words[at + 1]).shiftLeft(exponent(words, at));
    }

    private static void set(long[] words, int at, Spill spill, BigInteger units) {
        if (isSpilled(words, at)) {
            spill.remove(words[at + 1]);
        }
        int zeros = Math.max(0, units.getLowestSetBit());
        BigInteger integer = units.shiftRight(zeros);
        if (integer.bitLength() <= INTEGER_BITS) {
            pack(words, at, integer.shiftRight(64).longValue(), integer.longValue(), zeros);
        } else {
            words[at] = (long) SPILLED << EXPONENT_SHIFT;
            words[at + 1] = spill.add(units);
        }
    }

    @Override
    public void finish(long[] words, int at, Spill spill, Finished into) {
        into.decimal(value(words, at, spill));
    }

    private static double value(long[] words, int at, Spill spill) {
        if (isSpilled(words, at)) {
            return Rounded.quotient(spill.get(words[at + 1]), UNIT, BigInteger.ONE);
        }
        long high = high(words, at);
        long low = words[at + 1];
        int bits = bits(high, low);
        int exponent = exponent(words, at) + UNIT;
        if (bits < 64) {
            // Converting rounds to nearest; scaling is exact, because a sum that has to be rounded is far above
            // 2^-1022.
            return Math.scalb((double) low, exponent);
        }
        // The upper 62 bits, and whether any lower bit is set.
        int drop = bits - 62;
        long kept = high << (64 - drop) | low >>> drop;
        boolean more = low << (64 - drop) != 0;
        return Math.scalb((double) (more ? kept | 1 : kept), exponent + drop);
    }

    @Override
    public double quotient(long[] words, int at, Spill spill, long numerator, long denominator) {
        boolean exact = !isSpilled(words, at) && bits(high(words, at), words[at + 1]) <= 53;
        double value = exact ? value(words, at, spill) : Double.POSITIVE_INFINITY;
        if (!Double.isInfinite(value) && numerator == 1 && denominator <= Rounded.EXACT) {
            return value / (double) denominator;
        }
        BigInteger product = units(words, at, spill).multiply(BigInteger.valueOf(numerator));
        return Rounded.quotient(product, UNIT, BigInteger.valueOf(denominator));
    }

    @Override
    public void release(long[] words, int at, Spill spill) {
        if (isSpilled(words, at)) {
            spill.remove(words[at + 1]);
        }
        create(words, at);
    }
}
