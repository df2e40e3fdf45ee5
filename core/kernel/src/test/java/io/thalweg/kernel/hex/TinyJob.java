package io.thalweg.kernel.hex;

import io.thalweg.kernel.naive.NaiveRow;
import io.thalweg.kernel.pane.PositionCounts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The compute job's handling of tiles in one class: sends counts to their tile and its neighbours, pane by pane. */
final class TinyJob {
    private record Slice(List<Integer> positions, List<Integer> counts) {}

    private final HexTiling tiling;
    private final Halo halo;
    private final TileFeatures features;
    private final int[] rings;
    private final int[] windows;
    private final TreeMap<Long, Map<Long, Slice>> slices = new TreeMap<>();
    private long firstPane = Long.MAX_VALUE;
    private long lastPane = Long.MIN_VALUE;

    TinyJob(int resolution, int[] rings, int[] windows, LatticeKernel kernel) {
        this.tiling = HexTiling.of(resolution);
        this.halo = new Halo(tiling, rings[rings.length - 1]);
        this.features = new TileFeatures(tiling, rings, windows, kernel);
        this.rings = rings;
        this.windows = windows;
    }

    void add(long cell, long pane, int count) {
        firstPane = Math.min(firstPane, pane);
        lastPane = Math.max(lastPane, pane);
        put(tiling.tile(cell), cell, pane, count);
        for (long tile : halo.neighboursNeeding(cell)) {
            put(tile, cell, pane, count);
        }
    }

    private void put(long tile, long cell, long pane, int count) {
        int position = features.position(tile, cell);
        if (position < 0) {
            throw new AssertionError("no position for " + Long.toHexString(cell) + " in " + Long.toHexString(tile));
        }
        Slice slice = slices.computeIfAbsent(tile, t -> new HashMap<>())
                .computeIfAbsent(pane, p -> new Slice(new ArrayList<>(), new ArrayList<>()));
        slice.positions.add(position);
        slice.counts.add(count);
    }

    List<NaiveRow> rows(String group) {
        List<NaiveRow> rows = new ArrayList<>();
        for (long end = firstPane + 1; end <= lastPane + windows[windows.length - 1] + 3; end++) {
            List<NaiveRow> atEnd = new ArrayList<>();
            for (long tile : slices.keySet()) {
                collect(tile, group, end, atEnd);
            }
            atEnd.sort(Comparator.comparingLong(NaiveRow::cell));
            rows.addAll(atEnd);
        }
        return rows;
    }

    private void collect(long tile, String group, long end, List<NaiveRow> into) {
        Map<Long, Slice> panes = slices.getOrDefault(tile, Map.of());
        TileRows rows = features.assemble(tile, panesBack -> {
            Slice slice = panes.get(end - panesBack);
            return slice == null
                    ? PositionCounts.NONE
                    : PositionCounts.ofUnordered(ints(slice.positions), ints(slice.counts));
        });
        long[] cells = rows.cells();
        long[] sums = rows.sums();
        int[] sizes = rows.diskSizes();
        int width = rows.features();
        for (int row = 0; row < rows.rows(); row++) {
            long[] own = new long[width];
            double[] values = new double[width];
            for (int feature = 0; feature < width; feature++) {
                own[feature] = sums[row * width + feature];
                if (own[feature] != rows.sum(row, feature) || cells[row] != rows.cell(row)) {
                    throw new AssertionError("bulk and single reads differ");
                }
                int ring = feature / windows.length;
                long size = sizes == null ? 1 + 3L * rings[ring] * (rings[ring] + 1) : sizes[row * rings.length + ring];
                values[feature] = own[feature] / (double) (size * windows[feature % windows.length]);
            }
            into.add(new NaiveRow(cells[row], group, end, own, values));
        }
        for (int row = 1; row < cells.length; row++) {
            if (cells[row - 1] >= cells[row]) {
                throw new AssertionError("rows must ascend");
            }
        }
    }

    private static int[] ints(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }
}
