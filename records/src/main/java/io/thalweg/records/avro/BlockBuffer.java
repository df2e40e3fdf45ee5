package io.thalweg.records.avro;

import java.util.Arrays;

/** Bytes that are kept from block to block, so that memory is allocated for the largest one only. */
final class BlockBuffer {
    private static final int SMALLEST = 1 << 16;

    byte[] bytes = {};
    int length;

    int room() {
        return bytes.length - length;
    }

    /**
     * Makes room for at least one more byte; doubles the memory.
     *
     * @param most total bytes that may be needed, more than there are
     */
    void grow(int most) {
        long doubled = Math.max(SMALLEST, 2L * bytes.length);
        bytes = Arrays.copyOf(bytes, (int) Math.min(most, doubled));
    }
}
