package io.thalweg.model.row;

import io.thalweg.model.bytes.BitWriter;
import io.thalweg.model.bytes.Bytes;
import java.util.Arrays;

/**
 * The sums of a block's rows as bits, one row after the other without padding.
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

    /** Copies rows {@code from} to {@code to}, the latter exclusive. */
    PackedSums rows(int from, int to) {
        int begin = start(from);
        int end = start(to);
        Bytes bytes = new Bytes((end - begin) / Byte.SIZE + Long.BYTES);
        BitWriter copy = new BitWriter(bytes);
        copy.copy(bits, begin, end);
        copy.finish();
        int[] own = Arrays.copyOfRange(ends, from, to);
        for (int row = 0; row < own.length; row++) {
            own[row] -= begin;
        }
        return new PackedSums(signed, bytes.copy(), own);
    }
}
