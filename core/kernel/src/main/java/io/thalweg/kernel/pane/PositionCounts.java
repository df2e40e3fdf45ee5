package io.thalweg.kernel.pane;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * Counts at positions of one tile, from which features are assembled. Consecutive positions form a run, so that a dense pane is added
 * row by row and a sparse one takes at most two ints per position.
 *
 * <p><b>Shape.</b> A run packs its first position and its length, {@code (length - 1) << 20 | position}; runs ascend by position. The
 * counts of all runs follow each other. A position may occur more than once: its counts add up.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class PositionCounts {
    /** Counts without any position. */
    public static final PositionCounts NONE = new PositionCounts(new int[0], new int[0]);

    private static final int POSITION_BITS = 20;
    private static final int POSITION_MASK = (1 << POSITION_BITS) - 1;
    private static final int MAX_LENGTH = 1 << 10;
    private static final long COUNT_MASK = 0xFFFF_FFFFL;

    private final int[] runs;
    private final int[] counts;
    private final long total;

    private PositionCounts(int[] runs, int[] counts) {
        this.runs = runs;
        this.counts = counts;
        long sum = 0;
        for (int count : counts) {
            sum += count;
        }
        this.total = sum;
    }

    /**
     * Returns the counts at positions.
     *
     * @param positions ascending, each below 2<sup>20</sup>
     * @param counts one per position, each at least 0; not copied, so it must not be modified
     * @throws IllegalArgumentException if a position or count is out of range or order; the message names its index
     */
    public static PositionCounts of(int[] positions, int[] counts) {
        Builder builder = new Builder(positions.length);
        for (int n = 0; n < positions.length; n++) {
            if (counts[n] < 0) {
                throw new IllegalArgumentException("counts[" + n + "] must be at least 0, was " + counts[n]);
            }
            if (positions[n] < (n == 0 ? 0 : positions[n - 1]) || positions[n] > POSITION_MASK) {
                throw new IllegalArgumentException(
                        "positions[%d] must ascend from 0 to %d, was %d".formatted(n, POSITION_MASK, positions[n]));
            }
            builder.add(positions[n], 1);
        }
        return new PositionCounts(builder.runs(), counts);
    }

    /** Returns the counts at positions in any order. */
    public static PositionCounts ofUnordered(int[] positions, int[] counts) {
        long[] pairs = new long[positions.length];
        Arrays.setAll(pairs, n -> (long) positions[n] << 32 | (counts[n] & COUNT_MASK));
        return ofPairs(pairs);
    }

    /** The number of runs. */
    public int runs() {
        return runs.length;
    }

    /** The first position of a run. */
    public int position(int run) {
        return runs[run] & POSITION_MASK;
    }

    /** The number of positions of a run. */
    public int length(int run) {
        return (runs[run] >>> POSITION_BITS) + 1;
    }

    /** The counts of all runs, one after the other; shared, must not be modified. */
    public int[] counts() {
        return counts;
    }

    /** The sum of all counts. */
    public long total() {
        return total;
    }

    /** Returns these counts together with others of the same tile. */
    public PositionCounts plus(PositionCounts other) {
        Builder builder = new Builder(runs.length + other.runs.length);
        int[] all = new int[counts.length + other.counts.length];
        int mine = 0;
        int its = 0;
        int from = 0;
        int itsFrom = 0;
        while (mine < runs.length || its < other.runs.length) {
            boolean own = its == other.runs.length || (mine < runs.length && position(mine) <= other.position(its));
            int length = own ? length(mine) : other.length(its);
            System.arraycopy(own ? counts : other.counts, own ? from : itsFrom, all, from + itsFrom, length);
            builder.add(own ? position(mine++) : other.position(its++), length);
            from += own ? length : 0;
            itsFrom += own ? 0 : length;
        }
        return new PositionCounts(builder.runs(), all);
    }

    /** Returns the counts at some of these positions. */
    public PositionCounts at(IntPredicate wanted) {
        Builder builder = new Builder(counts.length);
        int[] some = new int[counts.length];
        int kept = 0;
        for (int run = 0, from = 0; run < runs.length; from += length(run++)) {
            for (int n = 0; n < length(run); n++) {
                if (wanted.test(position(run) + n)) {
                    builder.add(position(run) + n, 1);
                    some[kept++] = counts[from + n];
                }
            }
        }
        return kept == counts.length ? this : new PositionCounts(builder.runs(), Arrays.copyOf(some, kept));
    }

    /** Returns the counts moved to other positions: {@code to} maps each position to its new one, or to -1 to drop it. */
    public PositionCounts moved(IntUnaryOperator to) {
        long[] pairs = new long[counts.length];
        int kept = 0;
        for (int run = 0, from = 0; run < runs.length; from += length(run++)) {
            for (int n = 0; n < length(run); n++) {
                long position = to.applyAsInt(position(run) + n);
                pairs[kept] = position << 32 | (counts[from + n] & COUNT_MASK);
                kept += position >= 0 ? 1 : 0;
            }
        }
        return ofPairs(Arrays.copyOf(pairs, kept));
    }

    /** Returns the counts of pairs in any order, with the position in the upper half and the count in the lower. */
    private static PositionCounts ofPairs(long[] pairs) {
        Arrays.sort(pairs);
        return of(
                Arrays.stream(pairs).mapToInt(pair -> (int) (pair >> 32)).toArray(),
                Arrays.stream(pairs).mapToInt(pair -> (int) pair).toArray());
    }

    /** Writes runs as differences, and all numbers as variable-length integers. */
    void write(DataOutput out, VarInts gathered) throws IOException {
        gathered.add(runs.length);
        gathered.add(counts.length);
        int last = 0;
        for (int run = 0; run < runs.length; run++) {
            boolean single = length(run) == 1;
            gathered.add((position(run) - last) << 1 | (single ? 0 : 1));
            if (!single) {
                gathered.add(length(run));
            }
            last = position(run);
        }
        for (int count : counts) {
            gathered.add(count);
        }
        gathered.writeTo(out);
    }

    /** Reads what {@link #write} wrote. */
    static PositionCounts read(DataInput in) throws IOException {
        int[] runs = new int[VarInts.read(in)];
        int[] counts = new int[VarInts.read(in)];
        int last = 0;
        for (int run = 0; run < runs.length; run++) {
            int step = VarInts.read(in);
            last += step >>> 1;
            runs[run] = packed(last, (step & 1) == 0 ? 1 : VarInts.read(in));
        }
        for (int n = 0; n < counts.length; n++) {
            counts[n] = VarInts.read(in);
        }
        return new PositionCounts(runs, counts);
    }

    private static int packed(int position, int length) {
        return (length - 1) << POSITION_BITS | position;
    }

    /** Joins adjacent runs. */
    private static final class Builder {
        private final int[] runs;
        private int size;
        private int position;
        private int length;

        Builder(int most) {
            runs = new int[most];
        }

        void add(int nextPosition, int nextLength) {
            if (length > 0 && position + length == nextPosition && length + nextLength <= MAX_LENGTH) {
                length += nextLength;
            } else {
                position = nextPosition;
                length = nextLength;
                size++;
            }
            runs[size - 1] = packed(position, length);
        }

        int[] runs() {
            return Arrays.copyOf(runs, size);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PositionCounts that
                && Arrays.equals(that.runs, runs)
                && Arrays.equals(that.counts, counts);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(runs) + Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("PositionCounts");
        for (int run = 0, from = 0; run < runs.length; from += length(run++)) {
            text.append(run == 0 ? "[" : ", ").append(position(run)).append(": ");
            text.append(Arrays.toString(Arrays.copyOfRange(counts, from, from + length(run))));
        }
        return text.append(runs.length == 0 ? "[]" : "]").toString();
    }
}
