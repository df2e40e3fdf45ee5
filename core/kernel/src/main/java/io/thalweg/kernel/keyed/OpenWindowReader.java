package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import java.util.Arrays;

/** Adds rows of single keys at a window end whose rows have not been emitted. Valid as long as the shard does not change. */
final class OpenWindowReader {
    private static final int BATCH = 64;

    private final Layout layout;
    private final ShardKeys keys;
    private final ShardWindows.Lookup lookup;
    private final long[] windows;
    private final Spill spill = new Spill();
    /** Keeps the compiler from dropping the reads of {@link ShardWindows.Lookup#touch}. */
    @SuppressWarnings("UnusedVariable")
    private long touched;

    OpenWindowReader(Layout layout, ShardKeys keys, ShardWindows.Lookup lookup) {
        this.layout = layout;
        this.keys = keys;
        this.lookup = lookup;
        this.windows = new long[layout.allWindowWords()];
    }

    /** Adds the rows of some of the keys, and records the row of each key in {@code reads}. */
    void read(KeyedReads reads, int from, int to, KeyedRows rows) {
        for (int first = from; first < to; first += BATCH) {
            int last = Math.min(to, first + BATCH);
            boolean[] known = keys.resolve(reads, first, last);
            touched = lookup.touch(reads.words, first, last);
            for (int key = first; key < last; key++) {
                if (known[key - first] && read(reads.words[key], reads.seconds[key], rows)) {
                    reads.found(key, rows.rows() - 1);
                } else {
                    reads.absent(key);
                }
            }
        }
    }

    /** Adds the row of a key; returns false and adds no row if the largest window has no event. */
    boolean read(long word, long second, KeyedRows rows) {
        Arrays.fill(windows, 0);
        lookup.addTo(windows, spill, word, second);
        boolean any = windows[layout.largestWindowAt()] != 0;
        if (any) {
            keys.row(word, second, windows, 0, spill, rows);
        }
        layout.releaseAll(windows, 0, spill);
        return any;
    }
}
