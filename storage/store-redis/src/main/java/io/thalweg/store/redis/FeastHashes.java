package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.thalweg.feast.FeastKeys;
import io.thalweg.feast.FeastRow;
import io.thalweg.model.row.RowBlock;
import io.thalweg.store.ReadRows;
import io.thalweg.store.Retention;
import io.thalweg.store.RowReader;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The rows of views with one of Feast's layouts: one hash per entity, which all views with the same join keys share. Rows are
 * written under the order rule of all stores and read back as Thalweg's own.
 *
 * <p><b>Expiry.</b> A hash lives as long as its longest-lived row. An expired row in a live hash is no longer returned here,
 * but Feast's clients still see it: they apply their own {@code ttl}.
 */
final class FeastHashes implements RedisRows {
    /** Rows of one call, during which the server does nothing else. */
    private static final int CALL_ROWS = 100;

    private static final int CALL_VALUES = 1_000;

    private final Access access;
    private final FeastKeys names;
    private final FeastRow row;

    FeastHashes(Access access) {
        this.access = access;
        this.names = new FeastKeys(access.project(), access.view());
        this.row = FeastRow.of(access.view());
    }

    @Override
    public void write(List<? extends RowBlock> blocks) {
        Expiry expiry = access.expiry();
        Calls calls = access.calls();
        List<byte[]> begin = new ArrayList<>(row.fields());
        int most = Math.max(1, Math.min(CALL_ROWS, CALL_VALUES / begin.size()));
        begin.add(0, Integer.toString(begin.size()).getBytes(US_ASCII));
        SlotCalls rows = new SlotCalls(access.link(), calls, Script.WRITE_FEAST, most, begin);
        for (RowBlock block : blocks) {
            if (expiry.isOver(block.windowEndMs(), block.rows())) {
                continue;
            }
            for (int i = 0; i < block.rows() && !calls.failed(); i++) {
                try {
                    List<byte[]> arguments = row.encode(block, i);
                    arguments.add(0, expiry.lives(block.windowEndMs()));
                    StoreKey key = row.key(block, i);
                    rows.add(names.key(key.cell(), key.group()), arguments);
                } catch (StoreException e) { // a value without a Feast type
                    calls.fail(e);
                }
            }
        }
        rows.send();
        calls.settle();
    }

    @Override
    public ReadRows read(List<StoreKey> keys) {
        Pipeline asked = access.pipeline();
        asked.watermark(access.progressKey());
        keys.forEach(key -> asked.hmget(names.key(key.cell(), key.group()), row.fields()));
        asked.send();
        OptionalLong watermarkMs = asked.watermarkMs();
        RowReader rows = new RowReader(access.view(), keys.size(), access.oldestMs());
        for (int i = 0; i < keys.size(); i++) {
            int key = i;
            asked.next(List.of(key), rows).ifPresent(values -> rows.row(key, () -> row.decode(values)));
        }
        return rows.found(watermarkMs);
    }

    @Override
    public ReadRows readAsOf(List<StoreKey> keys, long asOfMs) {
        throw noHistory();
    }

    @Override
    public ReadRows readHistory(StoreKey key, long[] endsMs) {
        throw noHistory();
    }

    /** Feast's layouts keep no history. */
    private IllegalArgumentException noHistory() {
        Retention.requireHistory(access.view());
        return new IllegalArgumentException("view " + access.view().qualifiedName() + ": online.layout "
                + access.view().online().layout().text() + " keeps no history");
    }
}
