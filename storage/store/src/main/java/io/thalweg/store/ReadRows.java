package io.thalweg.store;

import io.thalweg.model.row.StoredRow;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The rows of some keys, and a watermark that was read before them: every row up to it that was ever written is among them or
 * was replaced by a newer one.
 *
 * @param watermarkMs of the view, as of {@link OnlineStore#watermark}
 * @param rows in the order asked; null where there is none, or none that can be decoded
 * @param unreadable why an existing value cannot be decoded, by the index of its key in {@code rows}
 */
public record ReadRows(OptionalLong watermarkMs, List<@Nullable StoredRow> rows, Map<Integer, String> unreadable) {
    /**
     * Passes on the rows of cells.
     *
     * @param from the index in {@code cells} of the first key
     */
    void handOver(long[] cells, int from, ScannedRows taker) {
        for (int i = 0; i < rows.size(); i++) {
            StoredRow row = rows.get(i);
            if (row != null) {
                taker.row(cells[from + i], row);
            } else if (!unreadable.isEmpty() && unreadable.containsKey(i)) {
                taker.unreadable(cells[from + i], String.valueOf(unreadable.get(i)));
            }
        }
    }
}
