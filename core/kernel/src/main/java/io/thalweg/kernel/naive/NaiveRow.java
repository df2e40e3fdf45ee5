package io.thalweg.kernel.naive;

import java.util.Arrays;

/**
 * One feature row.
 *
 * @param group the other entities, as added
 * @param end the number of the pane at whose start the windows end: they cover panes up to {@code end - 1}
 * @param sums one per feature, rings outer, windows inner; must not be modified
 * @param values {@code sum / (actual disk size * panes of the window)}, in the same order; must not be modified
 */
public record NaiveRow(long cell, String group, long end, long[] sums, double[] values) {
    @Override
    public boolean equals(Object other) {
        return other instanceof NaiveRow row
                && row.cell == cell
                && row.group.equals(group)
                && row.end == end
                && Arrays.equals(row.sums, sums)
                && Arrays.equals(row.values, values);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(cell) * 31 + Long.hashCode(end) + Arrays.hashCode(sums);
    }

    @Override
    public String toString() {
        return "%s %s at %d: %s".formatted(Long.toHexString(cell), group, end, Arrays.toString(sums));
    }
}
