package io.thalweg.model.view;

import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.util.List;

/**
 * Sliding windows of several sizes that end together at every multiple of the slide.
 *
 * @param sizes ascending, distinct, each a whole multiple of {@code every}
 * @param every the slide: one pane
 */
public record Windows(List<DurationText> sizes, DurationText every) implements Serializable {
    public Windows {
        sizes = List.copyOf(sizes);
    }

    /** Window sizes in panes, ascending. */
    public int[] panes() {
        return sizes.stream()
                .mapToInt(size -> Math.toIntExact(size.millis() / every.millis()))
                .toArray();
    }

    /** The arithmetic of the panes. */
    public PaneClock clock() {
        return new PaneClock(every.millis());
    }

    /** Panes in the largest window. */
    public int largestPanes() {
        int[] panes = panes();
        return panes[panes.length - 1];
    }
}
