package io.thalweg.kernel.table;

/**
 * Bijections that spread keys evenly: the mixed key is both a hash and the key, which can be recovered from it.
 *
 * <p>The constants differ from those that select shards, because all keys of a shard agree in the bits that selected it.
 */
public final class Mix {
    // MurmurHash3's 64-bit finalizer, and the multiplicative inverses of its constants.
    private static final long A = 0xff51afd7ed558ccdL;
    private static final long B = 0xc4ceb9fe1a85ec53L;
    private static final long A_INVERSE = 0x4f74430c22a54005L;
    private static final long B_INVERSE = 0x9cb4b2f8129337dbL;

    private Mix() {}

    /** Spreads a key over 64 bits. */
    public static long mix(long key) {
        long x = (key ^ key >>> 33) * A;
        x = (x ^ x >>> 33) * B;
        return x ^ x >>> 33;
    }

    /** Returns the key that {@link #mix} spread. */
    public static long unmix(long word) {
        long x = (word ^ word >>> 33) * B_INVERSE;
        x = (x ^ x >>> 33) * A_INVERSE;
        return x ^ x >>> 33;
    }

    /** Returns the first word of a key of two words. Together with {@code second}, it identifies exactly this key. */
    public static long pair(long first, long second) {
        return mix(first ^ mix(second + 1));
    }

    /** Returns the {@code first} that was passed to {@link #pair}. */
    public static long unpair(long word, long second) {
        return unmix(word) ^ mix(second + 1);
    }
}
