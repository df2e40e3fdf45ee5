package io.thalweg.kernel.keyed;

import java.io.Serializable;
import java.util.List;

/**
 * What a keyed view computes.
 *
 * @param filters how many conditions of their own the measures have, 0 to 64
 * @param windowPanes panes per window, ascending, each at least 1
 * @param everyMs the slide, at least 1
 * @param early whether changed keys are remembered for early rows
 */
public record KeyedSpec(
        KeyForm keys, List<KeyedMeasure> measures, int filters, List<Integer> windowPanes, long everyMs, boolean early)
        implements Serializable {
    public KeyedSpec {
        measures = List.copyOf(measures);
        windowPanes = List.copyOf(windowPanes);
        if (measures.isEmpty() || windowPanes.isEmpty() || everyMs < 1) {
            throw new IllegalArgumentException("a keyed view has measures, windows and a slide, was %s, %s, %d ms"
                    .formatted(measures, windowPanes, everyMs));
        }
        for (int i = 0; i < windowPanes.size(); i++) {
            int least = i == 0 ? 1 : windowPanes.get(i - 1) + 1;
            if (windowPanes.get(i) < least) {
                throw new IllegalArgumentException("windowPanes[%d] must be at least %d (ascending), was %d"
                        .formatted(i, least, windowPanes.get(i)));
            }
        }
        for (KeyedMeasure measure : measures) {
            if (measure.filter() > filters || filters > 64) {
                throw new IllegalArgumentException(
                        "a measure's filter must be one of %d, was %d".formatted(filters, measure.filter()));
            }
        }
    }

    /** Panes of the largest window. */
    public int largestPanes() {
        return windowPanes.get(windowPanes.size() - 1);
    }

    /**
     * Whether events of one key, pane and matches may be combined into one, that stands for so many and has the sums of their
     * inputs: where all that is measured are counts, and sums and means of integers.
     */
    public boolean combines() {
        return measures.stream().allMatch(KeyedMeasure::combines);
    }

    /** Columns of {@link KeyedBlock#inputs} that the measures read. */
    public int columns() {
        return measures.stream().mapToInt(KeyedMeasure::columnsEnd).max().orElse(0);
    }

    /** Values of a row: one for each measure and window, measures outer. */
    public int features() {
        return measures.size() * windowPanes.size();
    }
}
