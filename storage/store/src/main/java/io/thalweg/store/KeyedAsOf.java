package io.thalweg.store;

import io.thalweg.model.row.StoredRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads of keyed views as of a time. If the window of a key's newest row had ended by then, that row is the answer. A
 * key without a newest row has no earlier row either. Only the remaining keys are looked up window end by window end;
 * otherwise a key without rows would cost one lookup per window end of the view's {@code ttl}.
 */
public final class KeyedAsOf {
    private KeyedAsOf() {}

    /**
     * Reads, for each key, the row of the newest of these window ends that has one.
     *
     * @param newest reads the newest rows of keys
     * @param walk reads the rows of keys at these window ends
     */
    public static ReadRows read(
            List<StoreKey> keys,
            WindowEnds ends,
            Function<List<StoreKey>, ReadRows> newest,
            Function<List<StoreKey>, ReadRows> walk) {
        ReadRows found = newest.apply(keys);
        List<@Nullable StoredRow> rows = Arrays.asList(new @Nullable StoredRow[keys.size()]);
        Map<Integer, String> unreadable = new HashMap<>();
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            StoredRow row = found.rows().get(i);
            if (found.unreadable().containsKey(i) || (row != null && row.windowEndMs() > ends.newestMs())) {
                open.add(i);
            } else if (row != null && row.windowEndMs() >= ends.oldestMs()) {
                rows.set(i, row);
            }
        }
        if (!open.isEmpty()) {
            ReadRows earlier = walk.apply(open.stream().map(keys::get).toList());
            for (int i = 0; i < open.size(); i++) {
                rows.set(open.get(i), earlier.rows().get(i));
                if (earlier.unreadable().containsKey(i)) {
                    unreadable.put(
                            open.get(i), String.valueOf(earlier.unreadable().get(i)));
                }
            }
        }
        // The watermark of the first read: it was read before all rows.
        return new ReadRows(found.watermarkMs(), rows, unreadable);
    }
}
