package io.thalweg.kernel.hex;

import static io.thalweg.kernel.hex.LatticeKernel.LANES;

import java.util.Arrays;

/**
 * The fast path: sums over disks by prefix sums of a plane lattice.
 *
 * <p>The lattice is walked once, row by row, with the prefix sums of as many rows as a disk spans: those stay in cache. The
 * sums of a lattice row are written ring by ring, for memory is written fastest in its own order; feature rows are picked
 * from there by slot.
 */
final class LatticeSums {
    private final int[] rings;
    private final int windows;
    private final int features;
    private final int maxRing;
    private final LatticeKernel kernel;
    private final TileRows rows;

    private final LatticeCounts counts;
    private final Box region = new Box();
    private LatticeShape shape = LatticeShape.of(new int[] {LatticeShape.place(0, 0)}, 0);
    /** The prefix sums of as many windows as there are lanes for, the next as many, ...: rows used in turn. */
    private final LatticeKernel.Row[][] prefixes;

    /** Of each of them the newest row along {@code i}. */
    private final int[][] p;

    private int[] sums = {};
    private long[] wideSums = {};
    /** Where each sum of a cell stands after the first. */
    private final int[] featureSteps;

    /** The slots that have a row. */
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
        int sets = (windows.length - 1) / LatticeCounts.WINDOWS + 1;
        this.counts = new LatticeCounts(windows, kernel, shape);
        this.prefixes = new LatticeKernel.Row[sets][2 * maxRing + 2];
        this.p = new int[sets][];
        this.featureSteps = new int[features];
        this.hasRow = new boolean[tiling.slots()];
        this.rowSlots = new int[tiling.slots()];
        this.slotDigits = new long[tiling.slots()];
        Arrays.setAll(slotDigits, slot -> tiling.cell(0, slot) ^ tiling.cell(0, 0));
    }

    TileRows assemble(TileLattice tile, PaneReader panes) {
        use(tile.shape());
        counts.read(panes);
        region.reachOf(counts.filled, maxRing, shape);
        Arrays.fill(hasRow, false);
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
            for (LatticeKernel.Row[] set : prefixes) {
                Arrays.setAll(set, row -> new LatticeKernel.Row(next.width));
            }
            Arrays.setAll(p, set -> new int[next.width * LANES]);
            int length = shape.ownedHeight * rings.length * prefixes.length * shape.ownedWidth * LANES;
            sums = sums.length >= length ? sums : new int[length];
            Arrays.setAll(featureSteps, feature -> {
                int window = feature % windows;
                int line = feature / windows * prefixes.length + window / LatticeCounts.WINDOWS;
                return line * shape.ownedWidth * LANES + window % LatticeCounts.WINDOWS;
            });
        }
        counts.use(next);
    }

    /** A disk reaches {@code maxRing} rows ahead; the lattice has one row and column before the first that it covers. */
    private void sumDisks(int piece) {
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
                sumRow(ahead - maxRing, fromI);
            }
        }
    }

    /** Takes the place of the row that is as many rows before as are kept. */
    private LatticeKernel.Row row(int set, int j) {
        int kept = prefixes[set].length;
        return prefixes[set][(j + kept) % kept];
    }

    private void sumRow(int j, int fromI) {
        int from = Math.max(region.fromI, shape.rowStart[j]);
        int cells = Math.min(region.toI, shape.rowEnd[j]) - from;
        for (int ring = 0; ring < rings.length; ring++) {
            for (int set = 0; set < prefixes.length; set++) {
                int radius = rings[ring];
                LatticeKernel.Row low = row(set, j - radius - 1);
                LatticeKernel.Row high = row(set, j + radius);
                kernel.disks(low, row(set, j), high, from - fromI, radius, sums, at(j, ring, set, from), cells);
            }
        }
        // The last lane of the largest disk: how many of its cells have counts.
        int reached = at(j, rings.length - 1, prefixes.length - 1, from) + LANES - 1;
        for (int n = 0; n < cells; n++) {
            int slot = shape.slots[j * shape.width + from + n];
            if (slot >= 0) {
                hasRow[slot] |= sums[reached + n * LANES] != 0;
            }
        }
    }

    /** Where the sums of a cell stand. */
    private int at(int j, int ring, int set, int i) {
        int line = ((j - shape.ownedJ) * rings.length + ring) * prefixes.length + set;
        return (line * shape.ownedWidth + i - shape.ownedI) * LANES;
    }

    private int at(int slot) {
        int place = shape.slotPlaces[slot];
        return at(LatticeShape.j(place) - shape.firstJ, 0, 0, LatticeShape.i(place) - shape.firstI);
    }

    /** Long counts in pieces of as many bits as an int lattice can sum without overflow. */
    private void sumWideDisks() {
        wideSums = wideSums.length > 0 ? wideSums : new long[rowSlots.length * features];
        Arrays.fill(wideSums, 0);
        for (int piece = 0; piece < counts.pieces(); piece++) {
            int shift = piece * counts.pieceBits();
            sumDisks(piece);
            for (int slot = 0; slot < hasRow.length; slot++) {
                if (hasRow[slot]) {
                    for (int feature = 0; feature < features; feature++) {
                        wideSums[slot * features + feature] += (long) sums[at(slot) + featureSteps[feature]] << shift;
                    }
                }
            }
        }
    }

    private void collect(TileLattice tile) {
        rows.begin(counts.isWide() ? this::copyWideRow : this::copyRow);
        long firstCell = tile.firstCell();
        for (int slot = 0; slot < hasRow.length; slot++) {
            if (hasRow[slot]) {
                rowSlots[rows.rows()] = slot;
                rows.add(firstCell | slotDigits[slot]);
            }
        }
    }

    private void copyRow(int row, long[] into, int to) {
        int[] from = sums;
        int at = at(rowSlots[row]);
        for (int feature = 0; feature < features; feature++) {
            into[to + feature] = from[at + featureSteps[feature]];
        }
    }

    private void copyWideRow(int row, long[] into, int to) {
        System.arraycopy(wideSums, rowSlots[row] * features, into, to, features);
    }
}
