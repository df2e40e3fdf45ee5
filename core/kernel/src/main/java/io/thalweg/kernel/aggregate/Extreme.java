package io.thalweg.kernel.aggregate;

/**
 * The smallest or largest input; does not support subtract. For doubles, {@code -0.0} is smaller than {@code 0.0}.
 *
 * <p>A partial is one word: the input, encoded so that 0 is the identity and the greatest unsigned word wins.
 */
public final class Extreme implements Aggregate {
    public static final Extreme MIN_LONG = new Extreme(End.SMALLEST, Numbers.WHOLE);
    public static final Extreme MAX_LONG = new Extreme(End.LARGEST, Numbers.WHOLE);
    public static final Extreme MIN_DOUBLE = new Extreme(End.SMALLEST, Numbers.DECIMAL);
    public static final Extreme MAX_DOUBLE = new Extreme(End.LARGEST, Numbers.DECIMAL);

    private final boolean smallest;
    private final boolean decimal;

    private enum End {
        SMALLEST,
        LARGEST
    }

    private enum Numbers {
        WHOLE,
        DECIMAL
    }

    private Extreme(End end, Numbers numbers) {
        smallest = end == End.SMALLEST;
        decimal = numbers == Numbers.DECIMAL;
    }

    @Override
    public int words() {
        return 1;
    }

    @Override
    public void accumulate(long[] words, int at, Spill spill, long input) {
        long ordered = decimal ? ordered(input) : input ^ Long.MIN_VALUE;
        take(words, at, smallest ? ~ordered : ordered);
    }

    /** Maps the raw bits of doubles to unsigned order. */
    private static long ordered(long bits) {
        return bits ^ (bits >> 63 | Long.MIN_VALUE);
    }

    @Override
    public void merge(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill) {
        take(words, at, other[otherAt]);
    }

    private static void take(long[] words, int at, long rank) {
        if (Long.compareUnsigned(rank, words[at]) > 0) {
            words[at] = rank;
        }
    }

    @Override
    public boolean subtracts() {
        return false;
    }

    @Override
    public void subtract(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill) {
        throw new UnsupportedOperationException("an extreme cannot be taken off again");
    }

    @Override
    public void finish(long[] words, int at, Spill spill, Finished into) {
        long ordered = smallest ? ~words[at] : words[at];
        if (decimal) {
            into.decimal(Double.longBitsToDouble(ordered ^ (~ordered >> 63 | Long.MIN_VALUE)));
        } else {
            long value = ordered ^ Long.MIN_VALUE;
            into.integer(value >> 63, value);
        }
    }
}
