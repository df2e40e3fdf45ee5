package io.thalweg.kernel.hex;

import static io.thalweg.kernel.hex.LatticeKernel.LANES;

import java.util.Arrays;

/**
 * Computes sums over disks by prefix sums of a plane lattice. This is the fast path.
 *
 * <p>One pass over the lattice, row by row, holds the prefix sums of as many rows as a disk spans. The feature rows of a lattice
 * row are emitted before the next row is summed, so that everything stays in cache. Only rows of many windows or large sums are
 * held until the last of several passes has ended.
 */
final class LatticeSums {
    private final int[] rings;
    private final int windows;
    private final int features;
    private final int maxRing;
    private final LatticeKernel kernel;
    private final LatticeCounts counts;
    private final Box region = new Box();
    private LatticeShape shape = LatticeShape.of(new int[] {LatticeShape.position(0, 0)}, 0);
    /** By set of windows that fit the lanes: a ring buffer of rows of prefix sums. */
    private final LatticeKernel.Row[][] prefixes;

    /** By set: the newest row of prefix sums along {@code i}. */
    private final int[][] p;

    /**
     * The sums of a lattice row, ring by ring, and for each ring set by set of windows that fit the lanes.
     */
    private int[] line = {};

    /** By slot: the sums of rows that are not emitted as steps. */
    private long[] sums = {};

    private final boolean[] hasRow;

    /** Takes the sums of a lattice row. */
    private interface Lines {
        /**
         * Takes the sums of one row.
         *
         * @param index the lattice index of its first cell
         */
        void take(int index, int cells);
    }

    LatticeSums(HexTiling tiling, int[] rings, int[] windows, LatticeKernel kernel) {
        this.rings = rings;
        this.windows = windows.length;
        this.features = rings.length * windows.length;
        this.maxRing = rings[rings.length - 1];
        this.kernel = kernel;
        int sets = (windows.length - 1) / LatticeCounts.WINDOWS + 1;
        this.counts = new LatticeCounts(windows, kernel, shape);
        this.prefixes = new LatticeKernel.Row[sets][2 * maxRing + 2];
        this.p = new int[sets][];
        this.hasRow = new boolean[tiling.slots()];
    }

    void assemble(TileLattice tile, PaneReader panes, RowSink rows) {
        use(tile.shape());
        counts.read(panes);
        region.reachOf(counts.filled, maxRing, shape);
        if (prefixes.length == 1 && !counts.isWide()) {
            sumDisks(0, (index, cells) -> steps(index, cells, rows));
        } else {
            sumPieces(rows);
        }
        counts.clear();
    }

    private void use(LatticeShape next) {
        if (next != shape) {
            shape = next;
            for (LatticeKernel.Row[] set : prefixes) {
                Arrays.setAll(set, row -> new LatticeKernel.Row(next.width));
            }
            Arrays.setAll(p, set -> new int[next.width * LANES]);
            line = new int[rings.length * prefixes.length * shape.ownedWidth * LANES];
        }
        counts.use(next);
    }

    /** Sums all disks. A disk reaches {@code maxRing} rows ahead; prefix sums start one row and column before the first disk. */
    private void sumDisks(int piece, Lines lines) {
        if (region.isEmpty()) {
            return;
        }
        int fromI = region.fromI - maxRing - 1;
        int columns = region.toI + maxRing - fromI;
        int firstJ = region.fromJ - maxRing - 1;
        for (int set = 0; set < prefixes.length; set++) {
            row(set, firstJ - 1).clear();
        }
        for (int ahead = firstJ; ahead < region.toJ + maxRing; ahead++) {
            counts.prefix(ahead, fromI, columns, piece, p);
            for (int set = 0; set < prefixes.length; set++) {
                kernel.prefix(p[set], row(set, ahead - 1), row(set, ahead), columns);
            }
            if (ahead - maxRing >= region.fromJ) {
                sumRow(ahead - maxRing, fromI, lines);
            }
        }
    }

    /** Returns the buffer of a row, which replaces the oldest row of the ring buffer. */
    private LatticeKernel.Row row(int set, int j) {
        int kept = prefixes[set].length;
        return prefixes[set][(j + kept) % kept];
    }

    private void sumRow(int j, int fromI, Lines lines) {
        int from = Math.max(region.fromI, shape.rowStart[j]);
        int cells = Math.min(region.toI, shape.rowEnd[j]) - from;
        for (int ring = 0; ring < rings.length; ring++) {
            for (int set = 0; set < prefixes.length; set++) {
                int radius = rings[ring];
                LatticeKernel.Row low = row(set, j - radius - 1);
                LatticeKernel.Row high = row(set, j + radius);
                kernel.disks(low, row(set, j), high, from - fromI, radius, line, at(ring, set, cells), cells);
            }
        }
        lines.take(j * shape.width + from, cells);
    }

    /** The index in {@link #line} of the sums of the first cell. */
    private int at(int ring, int set, int cells) {
        return (ring * prefixes.length + set) * cells * LANES;
    }

    /** The index of the last lane of the largest disk, which is the number of its cells with counts. */
    private int reachedAt(int cells) {
        return at(rings.length - 1, prefixes.length - 1, cells) + LANES - 1;
    }

    private void steps(int index, int cells, RowSink rows) {
        int reached = reachedAt(cells);
        for (int n = 0; n < cells; n++) {
            int slot = shape.slots[index + n];
            if (slot >= 0 && line[reached + n * LANES] != 0) {
                rows.row(slot, line, n * LANES, cells * LANES);
            }
        }
    }

    /** Sums long counts in pieces of as many bits as an int lattice can sum without overflow. */
    private void sumPieces(RowSink rows) {
        sums = sums.length > 0 ? sums : new long[hasRow.length * features];
        Arrays.fill(sums, 0);
        Arrays.fill(hasRow, false);
        for (int piece = 0; piece < counts.pieces(); piece++) {
            int shift = piece * counts.pieceBits();
            sumDisks(piece, (index, cells) -> add(index, cells, shift));
        }
        for (int slot = 0; slot < hasRow.length; slot++) {
            if (hasRow[slot]) {
                rows.row(slot, sums, slot * features, null);
            }
        }
    }

    private void add(int index, int cells, int shift) {
        int reached = reachedAt(cells);
        for (int n = 0; n < cells; n++) {
            int slot = shape.slots[index + n];
            if (slot >= 0) {
                hasRow[slot] |= line[reached + n * LANES] != 0;
                for (int ring = 0; ring < rings.length; ring++) {
                    add(n, ring, cells, shift, slot * features + ring * windows);
                }
            }
        }
    }

    /** Adds the sums of one ring. Each window includes the panes of those before it. */
    private void add(int n, int ring, int cells, int shift, int to) {
        long sum = 0;
        for (int window = 0; window < windows; window++) {
            int lane = window % LatticeCounts.WINDOWS;
            sum += (long) line[at(ring, window / LatticeCounts.WINDOWS, cells) + n * LANES + lane] << shift;
            sums[to + window] += sum;
        }
    }
}
