package io.thalweg.bench.serve;

/** What is asked for how often. */
enum Load {
    MANY(100, 200),
    ONE(1, 1_000);

    private final int keys;
    private final int perSecond;

    Load(int keys, int perSecond) {
        this.keys = keys;
        this.perSecond = perSecond;
    }

    /** Of a read. */
    int keys() {
        return keys;
    }

    int perSecond() {
        return perSecond;
    }

    /** Its keys, for people. */
    String text() {
        return keys == 1 ? "1 key" : keys + " keys";
    }
}
