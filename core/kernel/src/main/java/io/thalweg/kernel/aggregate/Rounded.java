package io.thalweg.kernel.aggregate;

import java.math.BigInteger;

/** Rounds exact values to the nearest double, ties to even. */
final class Rounded {
    /** Integers up to this one are exact as doubles. */
    static final long EXACT = 1L << 53;

    private static final int PRECISION = 53;
    private static final int SMALLEST_EXPONENT = -1074;

    private Rounded() {}

    /** Returns the double nearest to {@code numerator * 2^exponent / denominator}; infinite if that exceeds all doubles. */
    static double quotient(BigInteger numerator, int exponent, BigInteger denominator) {
        if (numerator.signum() == 0) {
            return 0;
        }
        BigInteger magnitude = numerator.abs();
        // Two bits more than a double has, so that the remainder counts as less than half of the last bit.
        int shift = Math.max(0, PRECISION + 2 - (magnitude.bitLength() - denominator.bitLength()));
        BigInteger[] parts = magnitude.shiftLeft(shift).divideAndRemainder(denominator);
        BigInteger quotient = parts[1].signum() == 0 ? parts[0] : parts[0].setBit(0);
        double value = magnitude(quotient, exponent - shift);
        return numerator.signum() < 0 ? -value : value;
    }

    private static double magnitude(BigInteger value, int exponent) {
        int drop = Math.max(value.bitLength() - PRECISION, SMALLEST_EXPONENT - exponent);
        if (drop <= 0) {
            return Math.scalb((double) value.longValueExact(), exponent);
        }
        BigInteger kept = value.shiftRight(drop);
        boolean half = value.testBit(drop - 1);
        boolean more = value.getLowestSetBit() < drop - 1;
        boolean up = half && (more || kept.testBit(0));
        return Math.scalb((double) (kept.longValueExact() + (up ? 1 : 0)), exponent + drop);
    }
}
