package io.thalweg.records;

/** Sizes that messages claim, for error messages. */
public final class ClaimedSize {
    private ClaimedSize() {}

    /**
     * Returns a size that does not fit as text. Damaged bytes claim sizes beyond any array, which are negative or wrap around;
     * their digits would mislead.
     */
    public static String text(long size) {
        return size < 0 || size > Integer.MAX_VALUE ? "more than " + Integer.MAX_VALUE : String.valueOf(size);
    }
}
