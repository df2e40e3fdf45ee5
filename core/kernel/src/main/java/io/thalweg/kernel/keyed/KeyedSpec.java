package io.thalweg.kernel.keyed;

import java.io.Serializable;
import java.util.List;

/**
 * The measures and windows of a keyed view.
 *
 * @param filters the number of the measures' own conditions, 0 to 64
 * @param windowPanes panes per window, ascending, each at least 1
 * @param everyMs the slide, at least 1
 * @param early whether changed keys are recorded for early rows
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

    /** The number of panes of the largest window. */
    public int largestPanes() {
        return windowPanes.get(windowPanes.size() - 1);
    }

    /**
     * Whether events of one key, pane and matches may be combined into one weighted event with the sums of their inputs. True if
     * all measures are counts, or sums or means of integers.
     */
    public boolean combines() {
        return measures.stream().allMatch(KeyedMeasure::combines);
    }

    /** The number of columns of {@link KeyedBlock#inputs} that the measures read. */
    public int columns() {
        return measures.stream().mapToInt(KeyedMeasure::columnsEnd).max().orElse(0);
    }

    /** The number of values of a row: one for each measure and window, measures outer. */
    public int features() {
        return measures.size() * windowPanes.size();
    }
}
