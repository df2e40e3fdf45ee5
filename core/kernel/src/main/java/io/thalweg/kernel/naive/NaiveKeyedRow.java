package io.thalweg.kernel.naive;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of a keyed view.
 *
 * @param key the key as added
 * @param end the number of the pane at whose start the windows end
 * @param events the number of accepted events in the largest window; 0 for the closing row
 * @param values measures outer, windows inner: {@code BigInteger} for counts, sums and extremes of integers, {@code Double}
 *     for all others, null if there is no value
 */
public record NaiveKeyedRow(String key, long end, long events, List<@Nullable Object> values) {
    public NaiveKeyedRow {
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }
}
