package io.thalweg.kernel.aggregate;

import java.math.BigInteger;

/** The sum of {@code long}s in 128 bits, two's complement: upper word, lower word. */
public final class IntegerSum implements Sum {
    public static final IntegerSum INSTANCE = new IntegerSum();

    private IntegerSum() {}

    @Override
    public int words() {
        return 2;
    }

    @Override
    public void accumulate(long[] words, int at, Spill spill, long input) {
        add(words, at, input >> 63, input);
    }

    @Override
    public void merge(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill) {
        add(words, at, other[otherAt], other[otherAt + 1]);
    }

    @Override
    public void subtract(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill) {
        long high = other[otherAt];
        long low = other[otherAt + 1];
        add(words, at, ~high + (low == 0 ? 1 : 0), -low);
    }

    private static void add(long[] words, int at, long high, long low) {
        long sum = words[at + 1] + low;
        boolean carry = Long.compareUnsigned(sum, low) < 0;
        words[at + 1] = sum;
        words[at] += high + (carry ? 1 : 0);
    }

    @Override
    public void finish(long[] words, int at, Spill spill, Finished into) {
        into.integer(words[at], words[at + 1]);
    }

    @Override
    public double quotient(long[] words, int at, Spill spill, long numerator, long denominator) {
        return quotient(words[at], words[at + 1], numerator, denominator);
    }

    /** Returns {@code value * numerator / denominator} of a value of 128 bits, rounded once. */
    public static double quotient(long high, long low, long numerator, long denominator) {
        boolean small = high == low >> 63 && Math.abs(low) <= Rounded.EXACT && numerator == 1;
        if (small && denominator <= Rounded.EXACT) {
            return (double) low / (double) denominator;
        }
        BigInteger product = big(high, low).multiply(BigInteger.valueOf(numerator));
        return Rounded.quotient(product, 0, BigInteger.valueOf(denominator));
    }

    /** Converts an integer of 128 bits, two's complement. */
    public static BigInteger big(long high, long low) {
        BigInteger lower = BigInteger.valueOf(low);
        BigInteger unsigned = low < 0 ? lower.add(BigInteger.ONE.shiftLeft(64)) : lower;
        return BigInteger.valueOf(high).shiftLeft(64).add(unsigned);
    }
}
