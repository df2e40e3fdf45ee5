package io.thalweg.kernel.hex;

import java.util.Arrays;

/**
 * The fast path: sums over disks by prefix sums of a plane lattice.
 *
 * <p>The lattice is walked once, row by row, with the prefix sums of as many rows as a disk spans: those stay in cache. The
 * sums of a cell are written at once in the order of a feature row, cell after cell of the lattice row, for memory is
 * written fastest in its own order; rows are picked from there by slot.
 */
final class LatticeSums {
    private final int[] rings;
    private final int windows;
    private final int features;
    private final int maxRing;
    private final LatticeKernel kernel;
    private final TileRows rows;
    /** Ints per cell in the sums: its features, how many cells of its largest disk have counts, what fills a vector. */
    private final int cellLength;

    private final LatticeCounts counts;
    private final Box region = new Box();
    private LatticeShape shape = LatticeShape.of(new int[] {LatticeShape.place(0, 0)}, 0);
    /** The prefix sums of as many windows as there are lanes, the next as many, ... */
    private final LatticeKernel.Prefixes[] prefixes;

    /** Of each of them the newest row along {@code i}. */
    private final int[][] p;

    private int[] sums = {};
    private long[] wideSums = {};
    private final boolean[] hasRow;
    private final int[] rowSlots;
    /** What distinguishes the cells of a tile. */
    private final long[] slotDigits;

    LatticeSums(HexTiling tiling, int[] rings, int[] windows, LatticeKernel kernel, TileRows rows) {
        this.rings = rings;
        this.windows = windows.length;
        this.features = rings.length * windows.length;
        this.maxRing = rings[rings.length - 1];
        this.kernel = kernel;
        this.rows = rows;
        int sets = windows.length / kernel.lanes() + 1; // a lane more than windows
        this.cellLength = features - windows.length + sets * kernel.lanes();
        this.counts = new LatticeCounts(windows, kernel, shape);
        this.prefixes = new LatticeKernel.Prefixes[sets];
        this.p = new int[sets][];
        this.hasRow = new boolean[tiling.slots()];
        this.rowSlots = new int[tiling.slots()];
        this.slotDigits = new long[tiling.slots()];
        Arrays.setAll(slotDigits, slot -> tiling.cell(0, slot) ^ tiling.cell(0, 0));
    }

    TileRows assemble(TileLattice tile, PaneReader panes) {
        use(tile.shape());
        counts.read(panes);
        region.reachOf(counts.filled, maxRing, shape);
        if (counts.isWide()) {
            sumWideDisks();
        } else {
            sumDisks(0);
        }
        collect(tile);
        counts.clear();
        return rows;
    }

    private void use(LatticeShape next) {
        if (next != shape) {
            shape = next;
            for (int set = 0; set < prefixes.length; set++) {
                prefixes[set] = new LatticeKernel.Prefixes(shape.width * kernel.lanes(), depth());
                p[set] = prefixes[set].p;
            }
            int length = shape.ownedWidth * shape.ownedHeight * cellLength;
            sums = sums.length >= length ? sums : new int[length];
        }
        counts.use(next);
    }

    private int depth() {
        return 2 * maxRing + 2;
    }

    /** A disk reaches {@code maxRing} rows ahead; the lattice has one row and column before the first that it covers. */
    private void sumDisks(int shift) {
        if (region.isEmpty()) {
            return;
        }
        int fromI = region.fromI - maxRing - 1;
        int columns = region.toI + maxRing - fromI;
        int firstJ = region.fromJ - maxRing - 1;
        for (int ahead = firstJ; ahead < region.toJ + maxRing; ahead++) {
            counts.prefix(ahead, fromI, columns, shift, p, kernel.lanes());
            for (LatticeKernel.Prefixes some : prefixes) {
                if (ahead == firstJ) {
                    some.clearRow(firstJ - 1 + depth());
                }
                kernel.prefix(some, some.row(ahead - 1 + depth()), some.row(ahead), columns);
            }
            if (ahead - maxRing >= region.fromJ) {
                sumRow(ahead - maxRing, fromI);
            }
        }
    }

    private void sumRow(int j, int fromI) {
        int from = Math.max(region.fromI, shape.rowStart[j]);
        int cells = Math.min(region.toI, shape.rowEnd[j]) - from;
        int at = at(from, j);
        for (int ring = 0; ring < rings.length; ring++) {
            for (int set = 0; set < prefixes.length; set++) {
                // What lies beyond the windows is overwritten by the next ring, but for the last.
                int first = set * kernel.lanes();
                int used = Math.min(kernel.lanes(), windows - first + (ring == rings.length - 1 ? 1 : 0));
                LatticeKernel.Corners corners = prefixes[set].corners(j, from - fromI, rings[ring], kernel.lanes());
                kernel.disks(prefixes[set], corners, sums, at + ring * windows + first, cellLength, cells, used);
            }
        }
        for (int n = 0; n < cells; n++) {
            int slot = shape.slots[j * shape.width + from + n];
            if (slot >= 0) {
                hasRow[slot] = sums[at + n * cellLength + features] != 0;
            }
        }
    }

    /** Where the sums of a cell stand. */
    private int at(int i, int j) {
        return ((j - shape.ownedJ) * shape.ownedWidth + i - shape.ownedI) * cellLength;
    }

    private int at(int slot) {
        int place = shape.slotPlaces[slot];
        return at(LatticeShape.i(place) - shape.firstI, LatticeShape.j(place) - shape.firstJ);
    }

    /** Long counts in pieces of as many bits as an int lattice can sum without overflow. */
    private void sumWideDisks() {
        wideSums = wideSums.length > 0 ? wideSums : new long[rowSlots.length * features];
        Arrays.fill(wideSums, 0);
        for (int shift = 0; shift < Long.SIZE && counts.total() >>> shift != 0; shift += counts.pieceBits()) {
            sumDisks(shift);
            int candidates = candidates();
            for (int n = 0; n < candidates; n++) {
                int from = at(rowSlots[n]);
                int to = rowSlots[n] * features;
                for (int feature = 0; feature < features; feature++) {
                    wideSums[to + feature] += (long) sums[from + feature] << shift;
                }
            }
        }
    }

    private void collect(TileLattice tile) {
        rows.begin(counts.isWide() ? this::copyWideRow : this::copyRow);
        long firstCell = tile.cell(0);
        int candidates = region.isEmpty() ? 0 : candidates();
        for (int n = 0; n < candidates; n++) {
            int slot = rowSlots[n];
            if (hasRow[slot]) {
                rowSlots[rows.rows()] = slot;
                rows.add(firstCell | slotDigits[slot]);
            }
        }
    }

    /** The slots of the region, ascending. */
    private int candidates() {
        int found = 0;
        for (int j = region.fromJ; j < region.toJ; j++) {
            for (int i = region.fromI; i < region.toI; i++) {
                int slot = shape.slots[j * shape.width + i];
                if (slot >= 0) {
                    rowSlots[found++] = slot;
                }
            }
        }
        if (found == rowSlots.length) {
            Arrays.setAll(rowSlots, slot -> slot);
        } else {
            Arrays.sort(rowSlots, 0, found);
        }
        return found;
    }

    private void copyRow(int row, long[] into, int to) {
        int from = at(rowSlots[row]);
        for (int feature = 0; feature < features; feature++) {
            into[to + feature] = sums[from + feature];
        }
    }

    private void copyWideRow(int row, long[] into, int to) {
        System.arraycopy(wideSums, rowSlots[row] * features, into, to, features);
    }
}
