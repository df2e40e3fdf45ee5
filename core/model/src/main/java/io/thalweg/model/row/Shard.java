package io.thalweg.model.row;

/** Determines which of a job's shards owns a tile or key, for the job itself and for its readers. */
public final class Shard {
    /** Fixed, because state and topics are laid out by it; never changed silently. */
    public static final int COUNT = 256;

    private Shard() {}

    /** Returns the shard of a tile, or of the word of a key. */
    public static int of(long word) {
        long x = (word ^ (word >>> 32)) * 0xd6e8feb86659fd93L;
        x = (x ^ (x >>> 32)) * 0xd6e8feb86659fd93L;
        return (int) (x >>> 56);
    }
}
