package io.thalweg.runner;

import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.FeatureView;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * The cells of a view with the highest value of one feature at the last window ends, and how many rows each end had.
 *
 * <p><b>Threads.</b> Safe.
 */
final class HotCells {
    /** A row's key and its values. */
    record Hot(long cell, List<Object> group, double[] values) {}

    private static final int KEPT = 3;
    private static final int MINUTES = 64;

    private final FeatureView view;
    private final int[] windowPanes;
    private final int[] features;
    private final TreeMap<Long, Minute> minutes = new TreeMap<>();

    /** The state of one window end. */
    private static final class Minute {
        private int rows;
        private final PriorityQueue<Hot> hottest =
                new PriorityQueue<>(Comparator.comparingDouble(hot -> hot.values[0]));
    }

    /**
     * Creates a collector for a view.
     *
     * @param features indexes of the features to show; the first decides what is hot
     */
    HotCells(FeatureView view, int... features) {
        this.view = view;
        this.features = features.clone();
        this.windowPanes = view.windows().panes();
    }

    synchronized void see(HexRowBlock block) {
        Minute minute = minutes.computeIfAbsent(block.windowEndMs(), end -> new Minute());
        minute.rows += block.rows();
        for (int row = 0; row < block.rows(); row++) {
            minute.hottest.add(hot(block, row));
            if (minute.hottest.size() > KEPT) {
                minute.hottest.poll();
            }
        }
        if (minutes.size() > MINUTES) {
            minutes.pollFirstEntry();
        }
    }

    private Hot hot(HexRowBlock block, int row) {
        double[] values = new double[features.length];
        int perRow = view.rings().size() * windowPanes.length;
        for (int i = 0; i < features.length; i++) {
            int ring = features[i] / windowPanes.length;
            int[] sizes = block.diskSizes();
            int size = sizes == null
                    ? HexRowBlock.regularDiskSize(view.rings().get(ring))
                    : sizes[row * view.rings().size() + ring];
            values[i] = HexRowBlock.value(
                    block.sums()[row * perRow + features[i]], size, windowPanes[features[i] % windowPanes.length]);
        }
        return new Hot(block.cells()[row], block.group(), values);
    }

    /** Rows of a window end. */
    synchronized int rows(long end) {
        Minute minute = minutes.get(end);
        return minute == null ? 0 : minute.rows;
    }

    /** The hottest of a window end, the hottest first. */
    synchronized List<Hot> hottest(long end) {
        Minute minute = minutes.get(end);
        return minute == null
                ? List.of()
                : minute.hottest.stream()
                        .sorted(Comparator.comparingDouble((Hot hot) -> hot.values[0])
                                .reversed())
                        .toList();
    }
}
