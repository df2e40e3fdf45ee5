package io.thalweg.records;

/** Sizes that messages claim. */
public final class ClaimedSize {
    private ClaimedSize() {}

    /**
     * Returns a size that does not fit as text. Damaged bytes claim sizes beyond any array, which are negative or wrap around;
     * their digits would mislead.
     */
    public static String text(long size) {
        return size < 0 || size > Integer.MAX_VALUE ? "more than " + Integer.MAX_VALUE : String.valueOf(size);
    }

    /**
     * Returns the length that the first bytes of raw Snappy claim, at most 2^35; -1 if they are not a length. Snappy's library refuses
     * lengths beyond any array in words of its own, in which they are negative.
     */
    public static long ofSnappy(byte[] data, int from, int to) {
        long length = 0;
        for (int at = from, shift = 0; at < to && shift < Integer.SIZE; at++, shift += 7) {
            length |= (data[at] & 0x7FL) << shift;
            if (data[at] >= 0) {
                return length;
            }
        }
        return -1;
    }
}
