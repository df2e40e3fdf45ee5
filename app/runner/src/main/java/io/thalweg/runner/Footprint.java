package io.thalweg.runner;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.PackedBundles;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.ValueType;
import java.util.Arrays;
import java.util.List;

/**
 * Estimates what a view with rings needs from its definition and three numbers. All results are upper bounds or means under
 * the assumptions that each method states; {@code thalweg explain} prints them too.
 *
 * @param activeCells hexagons that have a row at a window end, in each group
 * @param groups combinations of values of the other entities, such as products
 * @param eventsPerSecond that the view keeps
 */
public record Footprint(FeatureView view, long activeCells, long groups, double eventsPerSecond)
        implements ViewFootprint {
    /** Bytes of an identity in an open pane: cell, 128 bits, and its share of the table's free slots. */
    public static final long ID_BYTES = 48;
    /** Bytes of a cell in a pane, open or kept: slot and count. */
    public static final long COUNT_BYTES = 8;

    private static final int SAMPLE_ROWS = 1_000;
    /** Bytes of a key after the view's name: a separator and the ancestor. */
    private static final int STORE_KEY_REST = 9;

    public Footprint {
        require(activeCells >= 1, "--active-cells", activeCells);
        require(groups >= 1, "--groups", groups);
        if (!(eventsPerSecond > 0 && eventsPerSecond < 1e12)) {
            throw UserError.usage("--events-per-second must be above 0, was " + eventsPerSecond, "");
        }
    }

    private static void require(boolean holds, String option, long value) {
        if (!holds) {
            throw UserError.usage(option + " must be at least 1, was " + value, "");
        }
    }

    double everySeconds() {
        return view.windows().every().millis() / 1000.0;
    }

    /** Rows per window end: one for each active cell and group. */
    public double rowsPerEnd() {
        return (double) activeCells * groups;
    }

    @Override
    public double rowsPerSecond() {
        return rowsPerEnd() / everySeconds();
    }

    /** Panes that accept events at the same time: the current one, and the older ones within the out-of-orderness. */
    public long openPanes() {
        double late = view.source().maxOutOfOrderness().millis()
                / (double) view.windows().every().millis();
        return 1 + (long) Math.ceil(late);
    }

    /** Events that open panes hold: each pane lives for one slide and the out-of-orderness. */
    public double openEvents() {
        return eventsPerSecond
                * (everySeconds() + view.source().maxOutOfOrderness().millis() / 1000.0);
    }

    /** Bytes of open panes, if every event has an identity of its own (distinct counts) or a cell of its own (plain counts). */
    public double openBytes() {
        boolean distinct = view.measure() instanceof Measure.CountDistinct;
        double counted = Math.min(openEvents(), openPanes() * rowsPerEnd());
        return (distinct ? openEvents() * ID_BYTES : 0) + counted * 2 * COUNT_BYTES;
    }

    /** Closed panes that windows still need: those of the largest window, and one for the closing row. */
    public int keptPanes() {
        return view.windows().largestPanes() + 1;
    }

    /** Cells and groups with a count in one pane: at most the number of rows, and at most the number of events. */
    public double countedPerPane() {
        return Math.min(rowsPerEnd(), eventsPerSecond * everySeconds());
    }

    /** How many times a count is kept: once in its tile, and in the halo of the neighbours within the largest ring. */
    public double haloFactor() {
        int slots = HexTiling.of(view.cell().resolution()).slots();
        // Approximates a tile by a hexagon with as many cells: 3R(R+1)+1 cells at radius R.
        double radius = Math.sqrt(slots / 3.0);
        double grown = (radius + view.rings().get(view.rings().size() - 1)) / radius;
        return grown * grown;
    }

    public double keptBytes() {
        return countedPerPane() * keptPanes() * COUNT_BYTES * haloFactor();
    }

    @Override
    public double stateBytes() {
        return openBytes() + keptBytes();
    }

    /** Length of a row as JSON, with {@code created}. */
    @Override
    public double jsonRowBytes() {
        return RowJson.of(view).value(sample(1), 0, 0).length;
    }

    /** Length of a row's share in a packed block of {@value #SAMPLE_ROWS} rows. */
    @Override
    public double packedRowBytes() {
        return RowCodec.of(view).encodeBlock(sample(SAMPLE_ROWS), 0).length / (double) SAMPLE_ROWS;
    }

    /** Length of a row's share in a bundle of the store, its key included, where all of its cells have rows. */
    @Override
    public double storedRowBytes() {
        HexRowBlock rows = sample(PackedBundles.CELLS);
        int group = new GroupCodec(view.group()).encode(rows.group()).length;
        int key = view.qualifiedName().length() + STORE_KEY_REST + group;
        return (key + new PackedBundles(view).encode(rows, 0, PackedBundles.CELLS).length)
                / (double) PackedBundles.CELLS;
    }

    /** Rows that the store holds: the newest of each cell and group, and with history one per window end. */
    @Override
    public double storedRows() {
        return ViewFootprint.storedRows(view, rowsPerEnd());
    }

    /** Returns rows in which all cells have the mean count, and the largest window contains at least one event. */
    private HexRowBlock sample(int rows) {
        int[] panes = view.windows().panes();
        double mean = eventsPerSecond * everySeconds() / rowsPerEnd();
        long[] sums = new long[view.rings().size() * panes.length];
        for (int f = 0; f < sums.length; f++) {
            int disk = HexRowBlock.regularDiskSize(view.rings().get(f / panes.length));
            sums[f] = Math.round(mean * disk * panes[f % panes.length]);
        }
        sums[sums.length - 1] = Math.max(1, sums[sums.length - 1]);
        return block(rows, sums);
    }

    private HexRowBlock block(int rows, long[] sums) {
        HexTiling tiling = HexTiling.of(view.cell().resolution());
        // Any tile without a pentagon will do.
        long tile = tiling.tile(tiling.cell(40.75, -73.98));
        long[] cells = new long[rows];
        Arrays.setAll(cells, slot -> tiling.cell(tile, slot));
        long[] all = new long[rows * sums.length];
        Arrays.setAll(all, i -> sums[i % sums.length]);
        List<Object> group =
                view.group().stream().map(field -> sampleValue(field.type())).toList();
        return new HexRowBlock(BlockHead.ofFinal(view.qualifiedName(), 0, 0), tile, group, cells, all, null);
    }

    private static Object sampleValue(ValueType type) {
        return switch (type) {
            case UUID -> "00000000-0000-4000-8000-000000000000";
            case STRING -> "sixteen letters.";
            case INT64 -> 1_000_000L;
            case BOOL -> true;
        };
    }
}
