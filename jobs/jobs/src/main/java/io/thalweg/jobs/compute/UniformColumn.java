package io.thalweg.jobs.compute;

import java.util.Arrays;

/**
 * A column of a block that mostly has one value for all entries, and takes no space as long as it does.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
final class UniformColumn {
    private long all;
    private boolean differs;
    private long[] values = {};

    /** Sets the value of an entry. Entries are set in order; the first one resets the column. */
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

    /** Returns whether all entries have this value. */
    boolean is(long value) {
        return !differs && all == value;
    }

    /** Returns a copy of the first values, or the single value that all entries share. */
    long[] takeShort(int count) {
        return differs ? Arrays.copyOf(values, count) : new long[] {all};
    }

    /** Returns a copy of the first values. */
    long[] take(int count) {
        if (differs) {
            return Arrays.copyOf(values, count);
        }
        long[] taken = new long[count];
        Arrays.fill(taken, all);
        return taken;
    }
}
