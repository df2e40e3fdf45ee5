package io.thalweg.verify;

import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.kernel.naive.NaiveKeyed;
import io.thalweg.kernel.naive.NaiveKeyedRow;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Computes the rows of a keyed view by a naive recount from the verdicts on its events. A job's rows are compared with them.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public final class KeyedRecount {
    private final FeatureView view;
    private final KeyCodec keys;
    private final PaneClock clock;
    private final NaiveKeyed naive;
    private long accepted;

    /** Creates an empty recount of a keyed view. */
    public KeyedRecount(FeatureView view) {
        this.view = view;
        keys = new KeyCodec(view);
        clock = view.clock();
        naive = new NaiveKeyed(KeyedPlan.of(view).spec());
    }

    /** Counts an event if it was accepted. */
    public void add(EventVerdict verdict) {
        Long timeMs = verdict.eventTimeMs();
        if (verdict.outcome() != EventOutcome.ACCEPTED || timeMs == null) {
            return;
        }
        accepted++;
        // NaiveKeyed takes the key as text, so each byte becomes one char.
        String key = new String(keys.bytes(verdict.group()), StandardCharsets.ISO_8859_1);
        naive.add(key, clock.pane(timeMs), verdict.matches(), verdict.inputs());
    }

    /** The number of accepted events. */
    public long accepted() {
        return accepted;
    }

    /** Passes all rows to the consumer, by window end, each as its own FINAL block of shard 0. */
    public void forEachRow(Consumer<KeyedRowBlock> consumer) {
        naive.rows().forEach(row -> consumer.accept(block(row)));
    }

    private KeyedRowBlock block(NaiveKeyedRow row) {
        byte[] bytes = row.key().getBytes(StandardCharsets.ISO_8859_1);
        List<Object> key = keys.ofBytes(bytes);
        int features = row.values().size();
        long[] high = new long[features];
        long[] low = new long[features];
        boolean[] nulls = new boolean[features];
        for (int feature = 0; feature < features; feature++) {
            @Nullable Object value = row.values().get(feature);
            if (value instanceof BigInteger integer) {
                high[feature] = integer.shiftRight(64).longValue();
                low[feature] = integer.longValue();
            } else if (value instanceof Double number) {
                low[feature] = Double.doubleToRawLongBits(number);
            } else {
                nulls[feature] = true;
            }
        }
        return new KeyedRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, clock.endMs(row.end())),
                KeyColumns.ofOne(keys, key),
                ValueColumns.ofNumbers(high, low, nulls));
    }
}
