package io.thalweg.model.row;

/** Which of a job's shards owns a tile or key: known to the job that counts and to those who read from it. */
public final class Shard {
    /** Fixed, for state and topics are laid out by it; never changed silently. */
    public static final int COUNT = 256;

    private Shard() {}

    /** The shard of a tile, or of the word of a key. */
    public static int of(long word) {
        long x = (word ^ (word >>> 32)) * 0xd6e8feb86659fd93L;
        x = (x ^ (x >>> 32)) * 0xd6e8feb86659fd93L;
        return (int) (x >>> 56);
    }
}
