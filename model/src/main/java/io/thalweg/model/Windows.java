package io.thalweg.model;

import java.io.Serializable;
import java.util.List;

/**
 * Sliding windows of several sizes that end together at every multiple of the slide.
 *
 * @param sizes ascending, distinct, each a whole multiple of {@code every}
 * @param every the slide: one pane
 */
public record Windows(List<DurationText> sizes, DurationText every) implements Serializable {
    /** Of rows that stand for a moment rather than for a span of time. */
    static final Windows INSTANT = new Windows(List.of(new DurationText("1ms", 1)), new DurationText("1ms", 1));

    public Windows {
        sizes = List.copyOf(sizes);
    }

    /** Window sizes in panes, ascending. */
    public int[] panes() {
        return sizes.stream()
                .mapToInt(size -> Math.toIntExact(size.millis() / every.millis()))
                .toArray();
    }

    /** The last window end at or before a time, both in epoch ms. */
    public long lastEndMs(long timeMs) {
        return Math.floorDiv(timeMs, every.millis()) * every.millis();
    }

    /** Panes in the largest window. */
    public int largestPanes() {
        int[] panes = panes();
        return panes[panes.length - 1];
    }
}
