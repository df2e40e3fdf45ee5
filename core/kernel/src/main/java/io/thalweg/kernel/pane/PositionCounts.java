package io.thalweg.kernel.pane;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * Counts at places of one tile, from which features are assembled. Consecutive places form a run, so that a dense pane is added
 * row by row and a sparse one takes at most two ints per place.
 *
 * <p><b>Shape.</b> A run packs its first place and its length, {@code (length - 1) << 20 | place}; runs ascend by place. The
 * counts of all runs follow each other. A place may occur more than once: its counts add up.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class PositionCounts {
    /** Counts without any place. */
    public static final PositionCounts NONE = new PositionCounts(new int[0], new int[0]);

    private static final int PLACE_BITS = 20;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
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
     * Returns the counts at places.
     *
     * @param places ascending, each below 2<sup>20</sup>
     * @param counts one per place, each at least 0; not copied, so it must not be modified
     * @throws IllegalArgumentException if a place or count is out of range or order; the message names its index
     */
    public static PositionCounts of(int[] places, int[] counts) {
        Builder builder = new Builder(places.length);
        for (int n = 0; n < places.length; n++) {
            if (counts[n] < 0) {
                throw new IllegalArgumentException("counts[" + n + "] must be at least 0, was " + counts[n]);
            }
            if (places[n] < (n == 0 ? 0 : places[n - 1]) || places[n] > PLACE_MASK) {
                throw new IllegalArgumentException(
                        "places[%d] must ascend from 0 to %d, was %d".formatted(n, PLACE_MASK, places[n]));
            }
            builder.add(places[n], 1);
        }
        return new PositionCounts(builder.runs(), counts);
    }

    /** Returns the counts at places in any order. */
    public static PositionCounts ofUnordered(int[] places, int[] counts) {
        long[] pairs = new long[places.length];
        Arrays.setAll(pairs, n -> (long) places[n] << 32 | (counts[n] & COUNT_MASK));
        return ofPairs(pairs);
    }

    /** The number of runs. */
    public int runs() {
        return runs.length;
    }

    /** The first place of a run. */
    public int place(int run) {
        return runs[run] & PLACE_MASK;
    }

    /** The number of places of a run. */
    public int length(int run) {
        return (runs[run] >>> PLACE_BITS) + 1;
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
            boolean own = its == other.runs.length || (mine < runs.length && place(mine) <= other.place(its));
            int length = own ? length(mine) : other.length(its);
            System.arraycopy(own ? counts : other.counts, own ? from : itsFrom, all, from + itsFrom, length);
            builder.add(own ? place(mine++) : other.place(its++), length);
            from += own ? length : 0;
            itsFrom += own ? 0 : length;
        }
        return new PositionCounts(builder.runs(), all);
    }

    /** Returns the counts at some of these places. */
    public PositionCounts at(IntPredicate wanted) {
        Builder builder = new Builder(counts.length);
        int[] some = new int[counts.length];
        int kept = 0;
        for (int run = 0, from = 0; run < runs.length; from += length(run++)) {
            for (int n = 0; n < length(run); n++) {
                if (wanted.test(place(run) + n)) {
                    builder.add(place(run) + n, 1);
                    some[kept++] = counts[from + n];
                }
            }
        }
        return kept == counts.length ? this : new PositionCounts(builder.runs(), Arrays.copyOf(some, kept));
    }

    /** Returns the counts moved to other places: {@code to} maps each place to its new one, or to -1 to drop it. */
    public PositionCounts moved(IntUnaryOperator to) {
        long[] pairs = new long[counts.length];
        int kept = 0;
        for (int run = 0, from = 0; run < runs.length; from += length(run++)) {
            for (int n = 0; n < length(run); n++) {
                long place = to.applyAsInt(place(run) + n);
                pairs[kept] = place << 32 | (counts[from + n] & COUNT_MASK);
                kept += place >= 0 ? 1 : 0;
            }
        }
        return ofPairs(Arrays.copyOf(pairs, kept));
    }

    /** Returns the counts of pairs in any order, with the place in the upper half and the count in the lower. */
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
            gathered.add((place(run) - last) << 1 | (single ? 0 : 1));
            if (!single) {
                gathered.add(length(run));
            }
            last = place(run);
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

    private static int packed(int place, int length) {
        return (length - 1) << PLACE_BITS | place;
    }

    /** Joins adjacent runs. */
    private static final class Builder {
        private final int[] runs;
        private int size;
        private int place;
        private int length;

        Builder(int most) {
            runs = new int[most];
        }

        void add(int nextPlace, int nextLength) {
            if (length > 0 && place + length == nextPlace && length + nextLength <= MAX_LENGTH) {
                length += nextLength;
            } else {
                place = nextPlace;
                length = nextLength;
                size++;
            }
            runs[size - 1] = packed(place, length);
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
            text.append(run == 0 ? "[" : ", ").append(place(run)).append(": ");
            text.append(Arrays.toString(Arrays.copyOfRange(counts, from, from + length(run))));
        }
        return text.append(runs.length == 0 ? "[]" : "]").toString();
    }
}
