package io.thalweg.kernel.hex;

/** A half-open box in lattice coordinates from 0. */
final class Box {
    int fromI;
    int toI;
    int fromJ;
    int toJ;

    Box() {
        clear();
    }

    void clear() {
        fromI = Integer.MAX_VALUE;
        fromJ = Integer.MAX_VALUE;
        toI = 0;
        toJ = 0;
    }

    boolean isEmpty() {
        return fromI >= toI || fromJ >= toJ;
    }

    /** Extends the box by {@code length} cells of a row. */
    void include(int i, int j, int length) {
        fromI = Math.min(fromI, i);
        fromJ = Math.min(fromJ, j);
        toI = Math.max(toI, i + length);
        toJ = Math.max(toJ, j + 1);
    }

    /** Sets the box to the tile's own cells whose disks reach into another box. */
    void reachOf(Box other, int ring, LatticeShape own) {
        clear();
        if (!other.isEmpty()) {
            fromI = Math.max(own.ownedI, other.fromI - ring);
            fromJ = Math.max(own.ownedJ, other.fromJ - ring);
            toI = Math.min(own.ownedI + own.ownedWidth, other.toI + ring);
            toJ = Math.min(own.ownedJ + own.ownedHeight, other.toJ + ring);
        }
    }
}
