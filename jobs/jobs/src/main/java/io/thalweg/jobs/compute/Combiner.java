package io.thalweg.jobs.compute;

/**
 * Combines recent events of the same key, pane and matches into one entry with their number and the sums of their inputs. The table is
 * of fixed size: an entry is emitted when another one takes its place, and all are emitted at {@link #flush}.
 *
 * <p><b>If keys rarely repeat</b>, combining gains nothing: after a sample with few repeats, events are not taken until the next
 * sample.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
/*
 * Buckets of four entries take 128 bytes for a key of one word without inputs. A full bucket evicts the entry with the fewest events.
 * 512 KiB stay in the second-level cache.
 */
final class Combiner {
    /** The binary logarithm of the number of buckets. */
    static final int BUCKET_BITS = 12;

    private static final int BUCKET_ENTRIES = 4;
    /** How long events are not taken after a sample with few repeats, in samples. */
    private static final int PASS_SAMPLES = 15;

    private static final int LOW = 0;
    private static final int PANE = 1;
    private static final int MATCHES = 2;
    /** The number of events that the entry represents; 0 for a free entry. */
    private static final int EVENTS = 3;
    /** The offset of the second word of a pair; for other keys, inputs begin here. */
    private static final int HIGH = 4;

    /** Receives the entries that are emitted. */
    interface Output {
        /** Receives an entry; its inputs begin at {@code at} and are valid during the call only. */
        void take(long keyHigh, long keyLow, long pane, long matches, long events, long[] inputs, int at);
    }

    private final boolean pairs;
    private final int columns;
    private final int inputsAt;
    private final int width;
    private final int bucketShift;
    /** The number of events in a sample: twice the number of entries. */
    private final int sample;

    private final Output output;
    private final long[] words;
    /** The entries that are not free, in the order in which they were taken. */
    private final int[] used;

    private int usedCount;
    /** Whether events are currently not taken. */
    private boolean passing;
    /** The number of events until that is decided again. */
    private int left;
    /** Events of the current sample that were not repeats. */
    private int fresh;

    /**
     * Creates an empty combiner.
     *
     * @param bucketBits at least 1; {@link #BUCKET_BITS} except in tests
     * @param pairs whether keys have an upper half
     * @param columns inputs of an event
     */
    Combiner(int bucketBits, boolean pairs, int columns, Output output) {
        this.pairs = pairs;
        this.columns = columns;
        this.output = output;
        this.inputsAt = pairs ? HIGH + 1 : HIGH;
        this.width = inputsAt + columns;
        this.bucketShift = Long.SIZE - bucketBits;
        this.used = new int[BUCKET_ENTRIES << bucketBits];
        this.words = new long[width * used.length];
        this.sample = 2 * used.length;
        this.left = sample;
    }

    /** Takes an event; returns false and does nothing while events are not taken. */
    boolean add(long keyHigh, long keyLow, long pane, long matches, long[] inputs) {
        if (--left == 0) {
            judge();
        }
        if (passing) {
            return false;
        }
        int first = bucket(keyHigh, keyLow, pane, matches);
        for (int entry = first; entry < first + BUCKET_ENTRIES * width; entry += width) {
            if (words[entry] == keyLow
                    && words[entry + PANE] == pane
                    && words[entry + MATCHES] == matches
                    && words[entry + EVENTS] != 0
                    && (!pairs || words[entry + HIGH] == keyHigh)) {
                if (overflows(entry, inputs)) {
                    give(entry);
                    fill(entry, keyHigh, keyLow, pane, matches, inputs);
                } else {
                    addTo(entry, inputs);
                }
                return true;
            }
        }
        fresh++;
        fill(place(first), keyHigh, keyLow, pane, matches, inputs);
        return true;
    }

    private int bucket(long keyHigh, long keyLow, long pane, long matches) {
        long mixed = (keyLow ^ keyLow >>> 32) + 31 * (pane + 31 * matches);
        mixed += pairs ? 31 * (keyHigh ^ keyHigh >>> 32) : 0;
        return (int) ((mixed * 0x9E3779B97F4A7C15L) >>> bucketShift) * BUCKET_ENTRIES * width;
    }

    private void addTo(int entry, long[] inputs) {
        for (int c = 0; c < columns; c++) {
            words[entry + inputsAt + c] += inputs[c];
        }
        words[entry + EVENTS]++;
    }

    /** Returns whether a sum would overflow 64 bits. */
    private boolean overflows(int entry, long[] inputs) {
        boolean beyond = false;
        for (int c = 0; c < columns; c++) {
            long before = words[entry + inputsAt + c];
            long after = before + inputs[c];
            beyond |= ((before ^ after) & (inputs[c] ^ after)) < 0;
        }
        return beyond;
    }

    /** Returns a free entry of a bucket, or emits the entry with the fewest events and returns it. */
    private int place(int first) {
        int fewest = first;
        for (int entry = first; entry < first + BUCKET_ENTRIES * width; entry += width) {
            if (words[entry + EVENTS] < words[fewest + EVENTS]) {
                fewest = entry;
            }
        }
        if (words[fewest + EVENTS] == 0) {
            used[usedCount++] = fewest;
        } else {
            give(fewest);
        }
        return fewest;
    }

    private void fill(int entry, long keyHigh, long keyLow, long pane, long matches, long[] inputs) {
        words[entry + LOW] = keyLow;
        words[entry + PANE] = pane;
        words[entry + MATCHES] = matches;
        words[entry + EVENTS] = 1;
        if (pairs) {
            words[entry + HIGH] = keyHigh;
        }
        for (int c = 0; c < columns; c++) {
            words[entry + inputsAt + c] = inputs[c];
        }
    }

    private void give(int entry) {
        output.take(
                pairs ? words[entry + HIGH] : 0,
                words[entry + LOW],
                words[entry + PANE],
                words[entry + MATCHES],
                words[entry + EVENTS],
                words,
                entry + inputsAt);
    }

    /** Decides whether to take the next events: not if less than a quarter of the sample were repeats. */
    private void judge() {
        passing = !passing && fresh > sample / 4 * 3;
        left = passing ? PASS_SAMPLES * sample : sample;
        fresh = 0;
    }

    /** Emits all entries. */
    void flush() {
        for (int i = 0; i < usedCount; i++) {
            give(used[i]);
            words[used[i] + EVENTS] = 0;
        }
        usedCount = 0;
    }
}
