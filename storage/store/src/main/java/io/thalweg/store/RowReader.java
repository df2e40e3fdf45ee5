package io.thalweg.store;

import io.thalweg.model.row.ForeignRowException;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The results of one read of a store, key by key. Expired rows, and rows that were written under another definition of the view,
 * are absent; any other value that cannot be decoded is unreadable.
 *
 * <p><b>Threads.</b> One.
 */
public final class RowReader {
    private static final Logger LOG = LoggerFactory.getLogger(RowReader.class);
    private static final Set<String> FOREIGN = ConcurrentHashMap.newKeySet();

    private final FeatureView view;
    private @Nullable RowCodec codec;
    private final long oldestMs;
    private final List<@Nullable StoredRow> rows;
    private final Map<Integer, String> unreadable = new HashMap<>();

    /**
     * Creates a reader that has not found anything yet.
     *
     * @param keys the number of keys that are read
     * @param oldestMs rows of an earlier window end have expired, epoch ms
     */
    public RowReader(FeatureView view, int keys, long oldestMs) {
        this(view, null, keys, oldestMs);
    }

    /** Creates the same with the codec of the view's rows. */
    public RowReader(FeatureView view, @Nullable RowCodec codec, int keys, long oldestMs) {
        this.view = view;
        this.codec = codec;
        this.oldestMs = oldestMs;
        this.rows = Arrays.asList(new @Nullable StoredRow[keys]);
    }

    /** Whether nothing has been found for a key so far. */
    public boolean isOpen(int key) {
        return rows.get(key) == null && (unreadable.isEmpty() || !unreadable.containsKey(key));
    }

    /** Returns the codec of the view's rows. It is created on first use, because not every store keeps packed rows. */
    public RowCodec codec() {
        if (codec == null) {
            codec = RowCodec.of(view);
        }
        return codec;
    }

    /** Accepts a packed row for a key that is open; null where the store has no value. */
    public void packed(int key, byte @Nullable [] value) {
        if (value != null) {
            row(key, () -> codec().decodeRow(value));
        }
    }

    /** Accepts a row for a key that is open; {@code row} decodes it or throws IllegalArgumentException. */
    public void row(int key, Supplier<@Nullable StoredRow> row) {
        try {
            StoredRow decoded = row.get();
            if (decoded != null && decoded.windowEndMs() >= oldestMs) {
                rows.set(key, decoded);
            }
        } catch (ForeignRowException e) {
            if (FOREIGN.add(view.qualifiedName())) {
                LOG.warn(
                        "Rows of view {} written under another definition are read as absent: {}",
                        view.qualifiedName(),
                        e.getMessage());
            }
        } catch (IllegalArgumentException e) {
            unreadable(key, String.valueOf(e.getMessage()));
        }
    }

    /** Records a value that cannot be decoded. */
    public void unreadable(int key, String reason) {
        unreadable.put(key, reason);
    }

    /** Returns the rows that were found. */
    public ReadRows found(OptionalLong watermarkMs) {
        return new ReadRows(watermarkMs, rows, unreadable);
    }
}
