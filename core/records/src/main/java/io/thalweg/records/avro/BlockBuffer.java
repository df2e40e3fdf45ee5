package io.thalweg.records.avro;

import java.util.Arrays;

/** A buffer that is reused from block to block, so that memory is allocated for the largest block only. */
final class BlockBuffer {
    private static final int SMALLEST = 1 << 16;

    byte[] bytes = {};
    int length;

    int room() {
        return bytes.length - length;
    }

    /**
     * Doubles the memory, to make room for at least one more byte.
     *
     * @param most total bytes that may be needed, more than the current capacity
     */
    void grow(int most) {
        long doubled = Math.max(SMALLEST, 2L * bytes.length);
        bytes = Arrays.copyOf(bytes, (int) Math.min(most, doubled));
    }
}
