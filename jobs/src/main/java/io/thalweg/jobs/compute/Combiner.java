package io.thalweg.jobs.compute;

/**
 * Partial counts of the keys met lately: events of one key, pane and matches become one entry that stands for so many and has the
 * sums of their inputs. Of fixed size and lossy: an entry leaves when another one takes its place, and all leave at {@link #flush}.
 *
 * <p><b>Where keys hardly repeat</b>, nothing is gained: after a sample with few repeats, the next events are not taken, until
 * another sample.
 *
 * <p><b>Threads.</b> One.
 */
/*
 * Buckets of four entries, 128 bytes for a key of one word without inputs; in a full one, the entry of the fewest events gives
 * way. 512 KiB stay in the second-level cache.
 */
final class Combiner {
    /** Two to this many buckets. */
    static final int BUCKET_BITS = 12;

    private static final int BUCKET_ENTRIES = 4;
    /** Events that are not taken after a sample with few repeats, in samples. */
    private static final int PASS_SAMPLES = 15;

    private static final int LOW = 0;
    private static final int PANE = 1;
    private static final int MATCHES = 2;
    /** The number of events that the entry represents; 0 for a free entry. */
    private static final int EVENTS = 3;
    /** The offset of the second word of a pair; for other keys, inputs begin here. */
    private static final int HIGH = 4;

    /** Takes the entries that leave. */
    interface Output {
        /** An entry; its inputs begin at {@code at}, and are valid during the call. */
        void take(long keyHigh, long keyLow, long pane, long matches, long events, long[] inputs, int at);
    }

    private final boolean pairs;
    private final int columns;
    private final int inputsAt;
    private final int width;
    private final int bucketShift;
    /** Events of a sample: twice as many as there are entries. */
    private final int sample;

    private final Output output;
    private final long[] words;
    /** The entries that are not free, in the order in which they were taken. */
    private final int[] used;

    private int usedCount;
    /** Whether events are not taken. */
    private boolean passing;
    /** How many until that is thought over. */
    private int left;
    /** Events of the sample under way that were no repeats. */
    private int fresh;

    /**
     * Has taken nothing.
     *
     * @param bucketBits at least 1; {@link #BUCKET_BITS} but for tests
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

    /** Takes an event; false, and nothing is done, while it takes none. */
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

    /** Whether a sum would be beyond 64 bits. */
    private boolean overflows(int entry, long[] inputs) {
        boolean beyond = false;
        for (int c = 0; c < columns; c++) {
            long before = words[entry + inputsAt + c];
            long after = before + inputs[c];
            beyond |= ((before ^ after) & (inputs[c] ^ after)) < 0;
        }
        return beyond;
    }

    /** A free entry of a bucket, or that of the fewest events, which leaves. */
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

    /** Takes the next events unless less than a quarter of the sample were repeats. */
    private void judge() {
        passing = !passing && fresh > sample / 4 * 3;
        left = passing ? PASS_SAMPLES * sample : sample;
        fresh = 0;
    }

    /** Lets all entries leave. */
    void flush() {
        for (int i = 0; i < usedCount; i++) {
            give(used[i]);
            words[used[i] + EVENTS] = 0;
        }
        usedCount = 0;
    }
}
