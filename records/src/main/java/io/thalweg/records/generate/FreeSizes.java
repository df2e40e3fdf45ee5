package io.thalweg.records.generate;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The lengths of the texts of one message that may have any length, in the order in which they occur.
 *
 * <p>A message is laid out with empty texts, which counts them and draws a weight for each. From how many bytes are missing then,
 * {@link #solve} derives the lengths.
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

    /** From now on, texts have random lengths of up to 32 bytes. */
    void natural() {
        mode = Mode.NATURAL;
    }

    /** From now on, texts are empty. */
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

    /** How many texts the message has had. */
    int count() {
        return count;
    }

    /** The length of the next text; draws one number whatever the mode, so that the values around texts stay the same. */
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
     * Gives {@code missing} bytes to the texts of the message that was measured, in proportion to their weights. Exact unless the
     * message has one text and lengths jump there: in a varint, 127 characters take 128 bytes and 128 take 130.
     *
     * @param size how many bytes of the message a text of a length takes
     * @return how many bytes could not be given
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

    /** Gives the last text the rest; if it cannot take all, one before it gives up a byte to move beyond the gap. */
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

    /** The largest length that takes at most {@code bytes} more than an empty text. */
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
