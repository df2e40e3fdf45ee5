package io.thalweg.bench.serve;

/** The size and the rate of reads. */
enum Load {
    MANY(100, 200),
    ONE(1, 1_000);

    private final int keys;
    private final int perSecond;

    Load(int keys, int perSecond) {
        this.keys = keys;
        this.perSecond = perSecond;
    }

    /** The number of keys of a read. */
    int keys() {
        return keys;
    }

    int perSecond() {
        return perSecond;
    }

    /** The number of keys, as text for people. */
    String text() {
        return keys == 1 ? "1 key" : keys + " keys";
    }
}
