package io.thalweg.kernel.hex;

import java.util.Arrays;

/**
 * The counts of a tile's panes on its lattice: one lattice per window, of those panes that the window before does not have,
 * and one for the pane that has just left the largest window.
 *
 * <p>Counts are ints as long as a sum of all of them is; else longs, read once more.
 */
final class LatticeCounts implements PlaceCounts {
    private final int[] windows;
    private final LatticeKernel kernel;
    private final int[][] counts;
    private final long[][] wideCounts;
    private final boolean[] empty;
    private int[] left = {};
    private int[] line = {};
    private long[] wideLine = {};
    private LatticeShape shape;

    /** What has counts, of any pane. */
    final Box filled = new Box();

    /** The lattice that takes the pane being read. */
    private int reading;

    private boolean wide;
    /** At least the sum of all counts of the windows. */
    private long total;

    LatticeCounts(int[] windows, LatticeKernel kernel, LatticeShape shape) {
        this.windows = windows;
        this.kernel = kernel;
        this.counts = new int[windows.length][0];
        this.wideCounts = new long[windows.length][0];
        this.empty = new boolean[windows.length];
        this.shape = shape;
        use(shape);
    }

    void use(LatticeShape next) {
        if (next != shape || left.length == 0) {
            shape = next;
            line = new int[next.width];
            wideLine = new long[next.width];
            int size = next.width * next.height;
            left = new int[size];
            Arrays.setAll(counts, window -> new int[size]);
            Arrays.fill(wideCounts, new long[0]);
            filled.clear();
        }
        clear(); // what a reader that threw has left
    }

    /** Reads all panes; afterwards {@link #isWide()} says of which kind the counts are. */
    void read(PaneReader panes) {
        wide = false;
        readWindows(panes);
        if (total > Integer.MAX_VALUE) {
            clear();
            wide = true;
            Arrays.setAll(wideCounts, w -> wideCounts[w].length > 0 ? wideCounts[w] : new long[left.length]);
            readWindows(panes);
        }
        reading = windows.length;
        panes.read(windows[windows.length - 1] + 1, this);
    }

    private void readWindows(PaneReader panes) {
        total = 0;
        int pane = 1;
        for (reading = 0; reading < windows.length; reading++) {
            empty[reading] = true;
            for (; pane <= windows[reading]; pane++) {
                panes.read(pane, this);
            }
        }
    }

    boolean isWide() {
        return wide;
    }

    /** No sum of counts of the windows exceeds this. */
    long total() {
        return total;
    }

    @Override
    public void add(int[] places, int[] added, int length) {
        int bits = kernel.or(added, length);
        if (bits < 0) {
            throw new IllegalArgumentException(
                    "counts must be at least 0: " + Arrays.toString(Arrays.copyOf(added, length)));
        }
        for (int n = 0; n < length; ) {
            int run = kernel.run(places, n, length);
            addRun(places[n], added, n, run);
            n += run;
        }
        if (reading < windows.length && length > 0) {
            empty[reading] = false;
            total += (long) bits * length;
        }
    }

    private void addRun(int place, int[] added, int n, int length) {
        int i = LatticeShape.i(place) - shape.firstI;
        int j = LatticeShape.j(place) - shape.firstJ;
        if (i < 0 || j < 0 || i + length > shape.width || j >= shape.height) {
            throw new IndexOutOfBoundsException("place is none of this tile: column " + i + ", row " + j);
        }
        filled.include(i, j, length);
        int at = j * shape.width + i;
        if (reading == windows.length) {
            mark(added, n, length, left, at);
        } else if (wide) {
            add(added, n, length, wideCounts[reading], at);
        } else {
            kernel.add(added, n, length, counts[reading], at);
        }
    }

    private static void add(int[] added, int from, int length, long[] into, int at) {
        for (int k = 0; k < length; k++) {
            into[at + k] += added[from + k];
        }
    }

    /** Only whether, not how many: cannot overflow. */
    private static void mark(int[] added, int from, int length, int[] into, int at) {
        for (int k = 0; k < length; k++) {
            into[at + k] |= added[from + k];
        }
    }

    /** How many bits a count may have so that all of a lattice together stay below 2<sup>31</sup>. */
    int pieceBits() {
        return Integer.numberOfLeadingZeros(left.length) - 1;
    }

    /**
     * Sums part of a lattice row up along {@code i}, all windows interleaved: the sum of window {@code w} up to column
     * {@code i} stands at {@code i * lanes + w}. A lane more has how many cells up to there have any count.
     *
     * @param shift of wide counts, which {@link #pieceBits()} are summed
     * @param into one array for every {@code lanes} windows
     */
    void prefix(int j, int fromI, int columns, int shift, int[][] into, int lanes) {
        if (j < filled.fromJ || j >= filled.toJ) {
            for (int[] some : into) {
                Arrays.fill(some, 0, columns * lanes, 0);
            }
            return;
        }
        int at = j * shape.width + fromI;
        Arrays.fill(line, 0, columns, 0);
        Arrays.fill(wideLine, 0, columns, 0);
        for (int window = 0; window < windows.length; window++) {
            if (wide) {
                addPiece(wideCounts[window], at, columns, shift);
            } else if (!empty[window]) {
                kernel.add(counts[window], at, columns, line, 0);
            }
            prefix(line, columns, into[window / lanes], window % lanes, lanes);
        }
        for (int i = 0; i < columns; i++) {
            line[i] = (line[i] | left[at + i]) != 0 || wideLine[i] != 0 ? 1 : 0;
        }
        prefix(line, columns, into[windows.length / lanes], windows.length % lanes, lanes);
    }

    private void addPiece(long[] added, int at, int columns, int shift) {
        int mask = (1 << pieceBits()) - 1;
        for (int i = 0; i < columns; i++) {
            wideLine[i] += added[at + i];
            line[i] = (int) (wideLine[i] >>> shift) & mask;
        }
    }

    private static void prefix(int[] line, int columns, int[] into, int lane, int lanes) {
        int sum = 0;
        for (int i = 0, to = lane; i < columns; i++, to += lanes) {
            sum += line[i];
            into[to] = sum;
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
