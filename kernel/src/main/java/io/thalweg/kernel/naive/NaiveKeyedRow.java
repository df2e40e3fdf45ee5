package io.thalweg.kernel.naive;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of a keyed view.
 *
 * @param key as given
 * @param end number of the pane at whose start the windows end
 * @param events accepted events in the largest window; 0 for the closing row
 * @param values measures outer, windows inner: {@code BigInteger} for counts, sums and extremes of integers, {@code Double}
 *     for all else, null where there is none
 */
public record NaiveKeyedRow(String key, long end, long events, List<@Nullable Object> values) {
    public NaiveKeyedRow {
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }
}
