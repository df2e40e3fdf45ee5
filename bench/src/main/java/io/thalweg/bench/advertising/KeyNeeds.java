package io.thalweg.bench.advertising;

/**
 * The resources that a machine needs to count this many keys.
 *
 * @param keys the number of keys
 */
public record KeyNeeds(long keys) {
    private static final long MIB = 1 << 20;

    /**
     * A table has 18 to 24 bytes for a key and its count, 20.5 on average; twice that while a checkpoint runs, and a tenth of
     * slack.
     */
    private static final long HEAP_BYTES_PER_KEY = 45;

    private static final long YOUNG_MIB = 1024;
    /** Flink itself, and blocks in transit. */
    private static final long BASE_MIB = 640;
    /** Network buffers, classes, threads, and the collector's data about the heap. */
    private static final long BESIDE_HEAP_MIB = 700;

    private static final long HEAP_TO_COLLECTOR = 30;
    private static final long STATE_BYTES_PER_KEY = 16;

    /** The value for {@code -Xmx}. */
    public long heapMib() {
        return keys * HEAP_BYTES_PER_KEY / MIB + YOUNG_MIB + BASE_MIB;
    }

    /** The value for {@code -Xmn}: small, because all retained data is in the old generation. */
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

    /** Returns the most keys, to the million, for which this memory suffices; 0 if less than one. */
    public static long most(long memoryBytes) {
        long most = 0;
        while (new KeyNeeds(most + 1_000_000).memoryBytes() <= memoryBytes) {
            most += 1_000_000;
        }
        return most;
    }
}
