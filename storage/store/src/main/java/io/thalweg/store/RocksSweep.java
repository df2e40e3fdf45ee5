package io.thalweg.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Removes expired rows from a RocksDB folder in bounded steps: history as ranges, whose files are dropped whole, the newest rows value
 * by value.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class RocksSweep {
    /** Values of newest rows that a step examines. */
    static final int KEYS = 10_000;

    private static final long STEP_MS = 60_000;

    private final RocksFolder folder;
    private final RocksValues values;
    private final RocksMeta meta;
    private final Map<String, Swept> history = new HashMap<>();
    private byte @Nullable [] cursor = new byte[0];
    private long againMs = Long.MIN_VALUE;

    /** The window end up to which the history of a view is removed, and the retention that applied. */
    private record Swept(Retention retention, long endMs) {}

    RocksSweep(RocksFolder folder, RocksValues values, RocksMeta meta) {
        this.folder = folder;
        this.values = values;
        this.meta = meta;
    }

    /** Removes the expired rows of history. */
    void history(long nowMs) throws RocksDBException {
        for (var view : meta.retentions().entrySet()) {
            history(view.getKey(), view.getValue(), nowMs);
        }
    }

    private void history(String view, Retention retention, long nowMs) throws RocksDBException {
        long endMs = retention.keepsHistory() ? retention.oldestMs(nowMs) : Long.MAX_VALUE;
        Swept swept = history.get(view);
        long sweptMs = swept != null && swept.retention().equals(retention) ? swept.endMs() : Long.MIN_VALUE;
        if (sweptMs != Long.MIN_VALUE && endMs - STEP_MS < sweptMs) {
            return;
        }
        byte[] first = RowKeys.historyFrom(view, Long.MIN_VALUE);
        byte[] end = RowKeys.historyFrom(view, endMs);
        folder.db().deleteFilesInRanges(folder.history(), List.of(first, end), false);
        folder.db().deleteRange(folder.history(), RowKeys.historyFrom(view, sweptMs), end);
        history.put(view, new Swept(retention, endMs));
    }

    /** Removes expired values among the next newest rows; no other thread may write meanwhile. */
    void newest(long nowMs, WriteOptions options) throws RocksDBException {
        if (cursor == null) {
            if (nowMs < againMs) {
                return;
            }
            cursor = new byte[0];
        }
        try (RocksIterator rows = folder.db().newIterator(folder.newest());
                WriteBatch batch = new WriteBatch()) {
            List<byte[]> expired = new ArrayList<>();
            rows.seek(cursor);
            for (int seen = 0; seen < KEYS && rows.isValid(); seen++, rows.next()) {
                byte[] key = rows.key();
                Retention retention = meta.retentions().get(RowKeys.view(key));
                if (retention != null && isExpired(rows.value(), retention.oldestMs(nowMs))) {
                    batch.delete(folder.newest(), key);
                    expired.add(key);
                }
            }
            rows.status();
            cursor = rows.isValid() ? rows.key() : null;
            againMs = nowMs + STEP_MS;
            folder.db().write(options, batch);
            expired.forEach(values::removed);
        }
    }

    /** Whether all rows of a value have expired; one that cannot be decoded stays, so that reads report it. */
    private static boolean isExpired(byte[] value, long oldestMs) {
        try {
            return RocksLayout.newestMs(value) < oldestMs;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
