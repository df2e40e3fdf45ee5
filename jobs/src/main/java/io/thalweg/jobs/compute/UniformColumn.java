package io.thalweg.jobs.compute;

import java.util.Arrays;

/**
 * A column of a block that mostly says the same of all entries, and takes no room as long as it does.
 *
 * <p><b>Threads.</b> One.
 */
final class UniformColumn {
    private long all;
    private boolean differs;
    private long[] values = {};

    /** Puts the value of an entry; entries come in order, and the first starts over. */
    void put(int entry, long value, int capacity) {
        if (entry == 0) {
            all = value;
            differs = false;
        } else if (differs || value != all) {
            spread(entry, value, capacity);
        }
    }

    private void spread(int entry, long value, int capacity) {
        if (values.length < capacity) {
            values = Arrays.copyOf(values, capacity);
        }
        if (!differs) {
            Arrays.fill(values, 0, entry, all);
            differs = true;
        }
        values[entry] = value;
    }

    /** Whether it says this of all entries. */
    boolean is(long value) {
        return !differs && all == value;
    }

    /** A copy of the first values, or a single value that all share. */
    long[] takeShort(int count) {
        return differs ? Arrays.copyOf(values, count) : new long[] {all};
    }

    /** A copy of the first values. */
    long[] take(int count) {
        if (differs) {
            return Arrays.copyOf(values, count);
        }
        long[] taken = new long[count];
        Arrays.fill(taken, all);
        return taken;
    }
}
