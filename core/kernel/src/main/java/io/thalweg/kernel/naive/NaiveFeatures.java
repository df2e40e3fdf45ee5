package io.thalweg.kernel.naive;

import io.thalweg.kernel.hex.HexTiling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Computes the features of a geospatial view naively: every count is added to all cells of the disk around it, ring by ring, when
 * its pane enters a window, and subtracted when it leaves.
 *
 * <p><b>Shape.</b> Rings and windows as in {@link io.thalweg.kernel.hex.TileFeatures}. A row exists iff any of its sums is
 * non-zero, and once more, all zeros, at the first end where all are zero again.
 *
 * <p><b>Cost.</b> About 20,000 hash operations per (cell, group, pane) with the default rings and windows.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public final class NaiveFeatures {
    private record Contribution(long cell, String group, long pane, long idHi, long idLo) {}

    private final int resolution;
    private final int[] rings;
    private final int[] windowPanes;
    private final Set<Contribution> seen = new HashSet<>();
    /** group → pane → cell → count. */
    private final TreeMap<String, Map<Long, Map<Long, Long>>> counts = new TreeMap<>();

    private final Map<Long, long[][]> disks = new HashMap<>();
    private final Map<Long, int[]> diskSizes = new HashMap<>();

    /**
     * Creates an empty recount.
     *
     * @param resolution the resolution of the cells
     * @param rings grid distances, ascending; copied
     * @param windowPanes panes per window, at least 1, ascending; copied
     */
    public NaiveFeatures(int resolution, int[] rings, int[] windowPanes) {
        this.resolution = resolution;
        this.rings = rings.clone();
        this.windowPanes = windowPanes.clone();
    }

    /** Counts an event whose identity counts once per cell, group and pane. */
    public void add(long cell, String group, long pane, long idHi, long idLo) {
        if (seen.add(new Contribution(cell, group, pane, idHi, idLo))) {
            addCount(cell, group, pane);
        }
    }

    /** Counts an event. */
    public void addCount(long cell, String group, long pane) {
        addSum(cell, group, pane, 1);
    }

    /**
     * Adds an amount to a cell's sum.
     *
     * @throws IllegalArgumentException if the cell is not of the view's resolution
     */
    public void addSum(long cell, String group, long pane, long amount) {
        if (!HexTiling.isValidCell(cell) || HexTiling.resolution(cell) != resolution) {
            throw new IllegalArgumentException(
                    "cell must be an H3 index of resolution %d, was %s".formatted(resolution, Long.toHexString(cell)));
        }
        counts.computeIfAbsent(group, g -> new HashMap<>())
                .computeIfAbsent(pane, p -> new HashMap<>())
                .merge(cell, amount, Long::sum);
    }

    /** Returns all rows by (end, group, cell), from the first pane's end until all windows are empty. */
    public List<NaiveRow> rows() {
        List<NaiveRow> rows = new ArrayList<>();
        forEachRow(rows::add);
        return rows;
    }

    /** Passes the same rows to a consumer one by one, for inputs whose rows do not fit in memory. */
    public void forEachRow(Consumer<? super NaiveRow> consumer) {
        TreeSet<Long> panes = new TreeSet<>();
        counts.values().forEach(byPane -> panes.addAll(byPane.keySet()));
        Map<String, TreeMap<Long, long[]>> open = new TreeMap<>();
        counts.keySet().forEach(group -> open.put(group, new TreeMap<>()));
        Long end = panes.isEmpty() ? null : panes.first() + 1;
        while (end != null) {
            boolean quiet = true;
            for (Map.Entry<String, TreeMap<Long, long[]>> group : open.entrySet()) {
                slide(group.getKey(), group.getValue(), end);
                emit(group.getKey(), group.getValue(), end, consumer);
                quiet &= group.getValue().isEmpty();
            }
            Long nextPane = panes.higher(end - 1);
            end = !quiet ? Long.valueOf(end + 1) : nextPane == null ? null : Long.valueOf(nextPane + 1);
        }
    }

    /** Moves every window of a group by one pane, to end at {@code end}. */
    private void slide(String group, Map<Long, long[]> sums, long end) {
        for (int window = 0; window < windowPanes.length; window++) {
            scatter(sums, countsOf(group, end - 1), window, 1);
            scatter(sums, countsOf(group, end - 1 - windowPanes[window]), window, -1);
        }
    }

    private Map<Long, Long> countsOf(String group, long pane) {
        return counts.getOrDefault(group, Map.of()).getOrDefault(pane, Map.of());
    }

    private void scatter(Map<Long, long[]> sums, Map<Long, Long> paneCounts, int window, int sign) {
        paneCounts.forEach((cell, count) -> {
            long[][] around = disks.computeIfAbsent(cell, this::disksAround);
            for (int ring = 0; ring < rings.length; ring++) {
                for (long near : around[ring]) {
                    long[] features = sums.computeIfAbsent(near, n -> new long[rings.length * windowPanes.length]);
                    features[ring * windowPanes.length + window] += sign * count;
                }
            }
        });
    }

    /** Emits a row per cell; a row of zeros is the last of its cell. */
    private void emit(String group, Map<Long, long[]> sums, long end, Consumer<? super NaiveRow> consumer) {
        sums.forEach((cell, features) ->
                consumer.accept(new NaiveRow(cell, group, end, features.clone(), values(cell, features))));
        sums.values().removeIf(features -> Arrays.stream(features).allMatch(sum -> sum == 0));
    }

    private double[] values(long cell, long[] sums) {
        int[] sizes = diskSizes.computeIfAbsent(cell, this::sizesAround);
        double[] values = new double[sums.length];
        for (int feature = 0; feature < sums.length; feature++) {
            long size = sizes[feature / windowPanes.length];
            values[feature] = sums[feature] / (double) (size * windowPanes[feature % windowPanes.length]);
        }
        return values;
    }

    private long[][] disksAround(long cell) {
        return Arrays.stream(rings).mapToObj(ring -> HexTiling.disk(cell, ring)).toArray(long[][]::new);
    }

    private int[] sizesAround(long cell) {
        return Arrays.stream(rings)
                .map(ring -> HexTiling.disk(cell, ring).length)
                .toArray();
    }
}
