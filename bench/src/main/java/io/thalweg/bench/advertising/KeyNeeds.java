package io.thalweg.bench.advertising;

/**
 * What counting so many keys takes of a machine.
 *
 * @param keys how many
 */
public record KeyNeeds(long keys) {
    private static final long MIB = 1 << 20;

    /** A table has 18 to 24 bytes for a key and its count, 20.5 on average; twice while a checkpoint runs; a tenth to spare. */
    private static final long HEAP_BYTES_PER_KEY = 45;

    private static final long YOUNG_MIB = 1024;
    /** Flink itself, and blocks on their way. */
    private static final long BASE_MIB = 640;
    /** Network buffers, classes, threads, and what the collector keeps about the heap. */
    private static final long BESIDE_HEAP_MIB = 700;

    private static final long HEAP_TO_COLLECTOR = 30;
    private static final long STATE_BYTES_PER_KEY = 16;

    /** What {@code -Xmx} has to be. */
    public long heapMib() {
        return keys * HEAP_BYTES_PER_KEY / MIB + YOUNG_MIB + BASE_MIB;
    }

    /** What {@code -Xmn} should be: little, for all that stays is in the old generation. */
    public long youngMib() {
        return YOUNG_MIB;
    }

    /** Memory of the process. */
    public long memoryBytes() {
        return MIB * (heapMib() + heapMib() / HEAP_TO_COLLECTOR + BESIDE_HEAP_MIB);
    }

    /** Disk for one checkpoint. */
    public long diskBytes() {
        return keys * STATE_BYTES_PER_KEY * 11 / 10;
    }

    /** The most keys, to the million, that so much memory is enough for; 0 for less than one. */
    public static long most(long memoryBytes) {
        long most = 0;
        while (new KeyNeeds(most + 1_000_000).memoryBytes() <= memoryBytes) {
            most += 1_000_000;
        }
        return most;
    }
}
