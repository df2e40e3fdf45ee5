package io.thalweg.records.generate;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The lengths of the texts of one message that may have any length, in the order in which they occur.
 *
 * <p>A first encoding with empty texts counts them and draws a weight for each. {@link #solve} then derives the lengths from the
 * number of missing bytes.
 */
final class FreeSizes {
    private static final int NATURAL_MAX = 32;
    private static final int WEIGHTS = 256;
    private static final int LEAST_WEIGHT = 64;

    private enum Mode {
        NATURAL,
        MEASURE,
        SOLVED
    }

    private Mode mode = Mode.NATURAL;
    private int count;
    private int[] weights = new int[16];
    private int[] lengths = new int[16];

    /** Gives texts random lengths of up to 32 bytes from now on. */
    void natural() {
        mode = Mode.NATURAL;
    }

    /** Makes texts empty from now on. */
    void measure() {
        mode = Mode.MEASURE;
    }

    /** Starts a message. */
    void begin() {
        count = 0;
    }

    /** The lengths that {@link #solve} found. */
    int[] lengths() {
        return lengths;
    }

    /** The number of texts in the message so far. */
    int count() {
        return count;
    }

    /** Returns the length of the next text. Draws one number in every mode, so that the values around texts stay the same. */
    int next(SplitMix random) {
        long bits = random.nextLong() >>> 32;
        if (mode == Mode.NATURAL) {
            return (int) ((bits * (NATURAL_MAX + 1)) >>> 32);
        }
        int ordinal = count++;
        if (mode == Mode.SOLVED) {
            return lengths[ordinal];
        }
        if (ordinal == weights.length) {
            weights = Arrays.copyOf(weights, 2 * ordinal);
            lengths = Arrays.copyOf(lengths, 2 * ordinal);
        }
        weights[ordinal] = LEAST_WEIGHT + (int) ((bits * (WEIGHTS - LEAST_WEIGHT)) >>> 32);
        return 0;
    }

    /**
     * Distributes {@code missing} bytes over the texts of the measured message, in proportion to their weights. The result is
     * exact, unless the message has one text whose size jumps there: with a varint, 127 characters take 128 bytes and 128 take
     * 130.
     *
     * @param size bytes of the message that a text of a given length takes
     * @return number of bytes that could not be distributed
     */
    int solve(int missing, IntUnaryOperator size) {
        mode = Mode.SOLVED;
        long weight = 0;
        for (int i = 0; i < count; i++) {
            weight += weights[i];
        }
        int empty = size.applyAsInt(0);
        int rest = missing;
        for (int i = 0; i < count - 1; i++) {
            lengths[i] = largest((int) ((long) rest * weights[i] / weight), size, empty);
            rest -= size.applyAsInt(lengths[i]) - empty;
            weight -= weights[i];
        }
        return last(rest, size, empty);
    }

    /** Gives the rest to the last text. If the text cannot take all of it, an earlier text gives up a byte, to get past the gap. */
    private int last(int rest, IntUnaryOperator size, int empty) {
        int last = count - 1;
        lengths[last] = largest(rest, size, empty);
        int left = rest - (size.applyAsInt(lengths[last]) - empty);
        for (int i = 0; i < last && left > 0; i++) {
            int length = lengths[i];
            if (length > 0 && size.applyAsInt(length) - size.applyAsInt(length - 1) == 1) {
                lengths[i]--;
                lengths[last] = largest(rest + 1, size, empty);
                return rest + 1 - (size.applyAsInt(lengths[last]) - empty);
            }
        }
        return left;
    }

    /** Returns the largest length that takes at most {@code bytes} more than an empty text. */
    private static int largest(int bytes, IntUnaryOperator size, int empty) {
        int length = bytes;
        int excess = size.applyAsInt(length) - empty - bytes;
        while (excess > 0) {
            length = Math.max(0, length - Math.max(1, excess / 2));
            excess = size.applyAsInt(length) - empty - bytes;
        }
        return length;
    }
}
