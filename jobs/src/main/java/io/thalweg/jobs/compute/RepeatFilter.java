package io.thalweg.jobs.compute;

import java.util.Arrays;

/**
 * Remembers identities sent lately, lossily: each has one place, and the newest to hash there stays. It never takes a new
 * identity for a repeat, since all of it is compared; it may take a repeat for new.
 *
 * <p><b>Threads.</b> One. 2 MiB.
 */
final class RepeatFilter {
    private static final int PLACES = 1 << 16;
    private static final int WIDTH = 4;

    private final long[] table = new long[PLACES * WIDTH];

    /** Whether this identity was seen in this cell and pane; remembers it if not. */
    boolean isRepeat(int lot, int slot, long pane, long idHi, long idLo) {
        // Plus one: an empty place must equal no identity.
        long cell = ((long) lot << 32 | slot) + 1;
        long hash = (idLo ^ Long.rotateLeft(idHi, 32) ^ cell * 0x9e3779b97f4a7c15L ^ pane) * 0xd6e8feb86659fd93L;
        int at = (int) (hash >>> 48) * WIDTH;
        if (table[at] == cell && table[at + 1] == pane && table[at + 2] == idHi && table[at + 3] == idLo) {
            return true;
        }
        table[at] = cell;
        table[at + 1] = pane;
        table[at + 2] = idHi;
        table[at + 3] = idLo;
        return false;
    }

    void clear() {
        Arrays.fill(table, 0);
    }
}
