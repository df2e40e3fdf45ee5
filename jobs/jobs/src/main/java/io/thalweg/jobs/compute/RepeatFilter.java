package io.thalweg.jobs.compute;

/**
 * A lossy cache of recently sent identities. Each identity has a bucket of four places, where a new one evicts those of other panes
 * first. The filter never takes a new identity for a repeat, because it compares the whole identity; it may take a repeat for new.
 *
 * <p><b>Size.</b> The table doubles when identities of one pane evict each other, from 128 KiB up to 32 MiB, where it holds some
 * 700,000 identities of a pane with few losses.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
final class RepeatFilter {
    private static final int WIDTH = 4;
    private static final int WAYS = 4;
    private static final int BUCKET = WAYS * WIDTH;
    private static final int FIRST_BUCKETS = 1 << 10;
    private static final int MOST_BUCKETS = 1 << 18;

    private long[] table = new long[FIRST_BUCKETS * BUCKET];
    private int pushedOut;
    private int turn;

    /** Returns whether this identity was seen in this cell and pane; remembers it if not. */
    boolean isRepeat(int lot, int slot, long pane, long idHi, long idLo) {
        // Plus one, so that an empty place does not equal any identity.
        long cell = ((long) lot << 32 | slot) + 1;
        int bucket = bucket(cell, pane, idHi, idLo);
        for (int at = bucket; at < bucket + BUCKET; at += WIDTH) {
            if (table[at] == cell && table[at + 1] == pane && table[at + 2] == idHi && table[at + 3] == idLo) {
                return true;
            }
        }
        put(bucket, cell, pane, idHi, idLo);
        if (pushedOut > table.length / BUCKET / 4 && table.length < MOST_BUCKETS * BUCKET) {
            grow();
        }
        return false;
    }

    private int bucket(long cell, long pane, long idHi, long idLo) {
        long hash = (idLo ^ Long.rotateLeft(idHi, 32) ^ cell * 0x9e3779b97f4a7c15L ^ pane) * 0xd6e8feb86659fd93L;
        hash = (hash ^ hash >>> 32) * 0xd6e8feb86659fd93L;
        return (int) (hash >>> 40) % (table.length / BUCKET) * BUCKET;
    }

    private void put(int bucket, long cell, long pane, long idHi, long idLo) {
        int at = bucket;
        while (at < bucket + BUCKET && table[at] != 0 && table[at + 1] == pane) {
            at += WIDTH;
        }
        if (at == bucket + BUCKET) {
            pushedOut++;
            turn = (turn + 1) % WAYS;
            at = bucket + turn * WIDTH;
        }
        table[at] = cell;
        table[at + 1] = pane;
        table[at + 2] = idHi;
        table[at + 3] = idLo;
    }

    private void grow() {
        long[] before = table;
        table = new long[2 * before.length];
        for (int at = 0; at < before.length; at += WIDTH) {
            if (before[at] != 0) {
                int bucket = bucket(before[at], before[at + 1], before[at + 2], before[at + 3]);
                put(bucket, before[at], before[at + 1], before[at + 2], before[at + 3]);
            }
        }
        pushedOut = 0;
    }

    void clear() {
        table = new long[FIRST_BUCKETS * BUCKET];
        pushedOut = 0;
    }
}
