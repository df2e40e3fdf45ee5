package io.thalweg.model;

/**
 * The sums of a block's rows as bits, one row after the other without gaps.
 *
 * @param signed whether differences are zigzag coded, for all rows
 * @param ends where the bits of each row end
 */
record PackedSums(boolean signed, byte[] bits, int[] ends) {
    int start(int row) {
        return row == 0 ? 0 : ends[row - 1];
    }

    int end(int row) {
        return ends[row];
    }
}
