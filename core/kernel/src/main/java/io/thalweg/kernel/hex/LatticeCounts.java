package io.thalweg.kernel.hex;

import static io.thalweg.kernel.hex.LatticeKernel.LANES;

import io.thalweg.kernel.pane.PositionCounts;
import java.util.Arrays;

/**
 * The counts of a tile's panes on its lattice: one lattice per window, for the panes that the previous window does not contain,
 * and one for the pane that has just left the largest window.
 *
 * <p>Counts are ints if the sum of all of them fits an int, otherwise longs.
 */
final class LatticeCounts {
    /** Adds adjacent counts of a pane to a lattice. */
    private interface Adder {
        void add(int[] counts, int from, int length, int at);
    }

    /** The number of windows in the lanes of a cell. */
    static final int WINDOWS = LANES - 1;

    private final int[] windows;
    private final LatticeKernel kernel;
    private final int[][] counts;
    private final long[][] wideCounts;
    private int[] left = {};
    private LatticeShape shape;

    /** The slots that have counts in any pane. */
    final Box filled = new Box();

    /** The sum of all counts of the windows. */
    private long total;

    LatticeCounts(int[] windows, LatticeKernel kernel, LatticeShape shape) {
        this.windows = windows;
        this.kernel = kernel;
        this.counts = new int[windows.length][0];
        this.wideCounts = new long[windows.length][0];
        this.shape = shape;
        use(shape);
    }

    void use(LatticeShape next) {
        if (next != shape || left.length == 0) {
            shape = next;
            int size = next.width * next.height;
            left = new int[size];
            Arrays.setAll(counts, window -> new int[size]);
            Arrays.fill(wideCounts, new long[0]);
            filled.clear();
        }
        clear(); // leftovers of a reader that threw
    }

    /** Reads all panes; afterwards {@link #isWide()} reports whether the counts are longs. */
    void read(PaneReader panes) {
        int largest = windows[windows.length - 1];
        total = 0;
        for (int pane = 1; pane <= largest; pane++) {
            total += panes.pane(pane).total();
        }
        int pane = 1;
        for (int window = 0; window < windows.length; window++) {
            Adder into = isWide() ? wide(window) : narrow(counts[window]);
            for (; pane <= windows[window]; pane++) {
                add(panes.pane(pane), into);
            }
        }
        add(panes.pane(largest + 1), this::mark);
    }

    boolean isWide() {
        return total > Integer.MAX_VALUE;
    }

    private Adder narrow(int[] into) {
        return (added, from, length, at) -> kernel.add(added, from, length, into, at);
    }

    private Adder wide(int window) {
        long[] into = wideCounts[window].length > 0 ? wideCounts[window] : new long[left.length];
        wideCounts[window] = into;
        return (added, from, length, at) -> {
            for (int k = 0; k < length; k++) {
                into[at + k] += added[from + k];
            }
        };
    }

    /** Marks which cells have counts, but not how many, so it cannot overflow. */
    private void mark(int[] added, int from, int length, int at) {
        for (int k = 0; k < length; k++) {
            left[at + k] |= added[from + k];
        }
    }

    private void add(PositionCounts pane, Adder into) {
        int from = 0;
        for (int run = 0; run < pane.runs(); run++) {
            int i = LatticeShape.i(pane.position(run)) - shape.firstI;
            int j = LatticeShape.j(pane.position(run)) - shape.firstJ;
            int length = pane.length(run);
            if (i < 0 || j < 0 || i + length > shape.width || j >= shape.height) {
                throw new IndexOutOfBoundsException("position is none of this tile: column " + i + ", row " + j);
            }
            filled.include(i, j, length);
            into.add(pane.counts(), from, length, j * shape.width + i);
            from += length;
        }
    }

    /** The number of bits per count such that the sum over all cells and windows stays below 2<sup>31</sup>. */
    int pieceBits() {
        return Integer.numberOfLeadingZeros(left.length * windows.length) - 1;
    }

    /** The number of pieces of the counts. */
    int pieces() {
        return isWide() ? 1 + (Long.SIZE - 1 - Long.numberOfLeadingZeros(total)) / pieceBits() : 1;
    }

    /**
     * Computes prefix sums of part of a lattice row along {@code i}. The lanes of a cell are {@link #WINDOWS} windows, each
     * without the panes of the previous one, and the number of cells so far that have any count. Called once for each row and piece.
     *
     * @param piece the index of the {@link #pieceBits()} of wide counts to sum
     * @param into one array for every {@link #WINDOWS} windows
     */
    void prefix(int j, int fromI, int columns, int piece, int[][] into) {
        if (j < filled.fromJ || j >= filled.toJ) {
            for (int[] some : into) {
                Arrays.fill(some, 0, columns * LANES, 0);
            }
            return;
        }
        int at = j * shape.width + fromI;
        for (int window = 0; window < windows.length; window++) {
            if (isWide()) {
                takePiece(wideCounts[window], at, columns, piece * pieceBits(), counts[window]);
            }
            mark(counts[window], at, columns, at);
        }
        markReached(at, columns);
        for (int set = 0; set < into.length; set++) {
            int first = set * WINDOWS;
            prefix(line(first), line(first + 1), line(first + 2), line(first + 3), at, columns, into[set], 0);
            prefix(line(first + 4), line(first + 5), line(first + 6), left, at, columns, into[set], 4);
        }
    }

    /** Returns the counts of a window. Lanes beyond the last window hold values that are never read. */
    private int[] line(int window) {
        return counts[Math.min(window, windows.length - 1)];
    }

    private void takePiece(long[] from, int at, int columns, int shift, int[] into) {
        int mask = (1 << pieceBits()) - 1;
        for (int k = at; k < at + columns; k++) {
            into[k] = (int) (from[k] >>> shift) & mask;
        }
    }

    /** Sets cells with any count to 1. */
    private void markReached(int at, int columns) {
        for (int k = at; k < at + columns; k++) {
            left[k] = -left[k] >>> 31;
        }
    }

    /** Sums four lanes at once, so that their sums stay in registers. */
    private static void prefix(int[] a, int[] b, int[] c, int[] d, int at, int columns, int[] into, int lane) {
        int sumA = 0;
        int sumB = 0;
        int sumC = 0;
        int sumD = 0;
        for (int i = 0; i < columns; i++) {
            int to = i * LANES + lane;
            into[to] = sumA += a[at + i];
            into[to + 1] = sumB += b[at + i];
            into[to + 2] = sumC += c[at + i];
            into[to + 3] = sumD += d[at + i];
        }
    }

    void clear() {
        for (int j = filled.fromJ; j < filled.toJ; j++) {
            int from = j * shape.width + filled.fromI;
            int to = j * shape.width + filled.toI;
            Arrays.fill(left, from, to, 0);
            for (int window = 0; window < windows.length; window++) {
                Arrays.fill(counts[window], from, to, 0);
                if (wideCounts[window].length > 0) {
                    Arrays.fill(wideCounts[window], from, to, 0);
                }
            }
        }
        filled.clear();
    }
}
