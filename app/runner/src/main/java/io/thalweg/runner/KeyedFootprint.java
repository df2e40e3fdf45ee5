package io.thalweg.runner;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedRows;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import io.thalweg.model.view.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Estimates what a keyed view needs from its definition and two numbers. The bytes of a key are measured on a shard of {@value
 * #SAMPLE_KEYS} keys with one event each.
 *
 * @param activeKeys keys that have a row at a window end
 * @param eventsPerSecond that the view keeps
 * @param paneBytes bytes that a key takes in each pane in which it has events
 * @param windowBytes bytes that a key takes besides its panes
 * @param sample rows of the shard
 */
public record KeyedFootprint(
        FeatureView view,
        long activeKeys,
        double eventsPerSecond,
        double paneBytes,
        double windowBytes,
        KeyedRowBlock sample)
        implements ViewFootprint {
    private static final int SAMPLE_KEYS = 10_000;
    private static final int SAMPLE_ROWS = 1_000;
    /** Bytes of a store key between the view's name and the key. */
    private static final int SEPARATOR = 1;

    /** Measures a shard of the view. */
    public static KeyedFootprint of(FeatureView view, long activeKeys, double eventsPerSecond) {
        if (activeKeys < 1) {
            throw UserError.usage("--active-keys must be at least 1, was " + activeKeys, "");
        }
        if (!(eventsPerSecond > 0 && eventsPerSecond < 1e12)) {
            throw UserError.usage("--events-per-second must be above 0, was " + eventsPerSecond, "");
        }
        KeyedPlan plan = KeyedPlan.of(view);
        KeyedPanes shard = new KeyedPanes(plan.spec(), 0);
        long empty = shard.bytes();
        shard.accumulate(events(view, plan));
        long filled = shard.bytes();
        KeyedRows rows = new KeyedRows(plan.spec());
        while (shard.fire(1, rows)) {
            // Fires all ranges.
        }
        boolean tumbling = plan.spec().largestPanes() == 1;
        return new KeyedFootprint(
                view,
                activeKeys,
                eventsPerSecond,
                (filled - empty) / (double) SAMPLE_KEYS,
                (shard.bytes() - (tumbling ? empty : filled)) / (double) SAMPLE_KEYS,
                KeyedRowBlock.of(BlockHead.ofFinal(view.qualifiedName(), 0, 0), rows, 0, SAMPLE_ROWS));
    }

    private static KeyedBlock events(FeatureView view, KeyedPlan plan) {
        KeyCodec codec = new KeyCodec(view);
        boolean bytes = codec.form() == KeyForm.BYTES;
        long[] high = new long[codec.form() == KeyForm.PAIR ? SAMPLE_KEYS : 0];
        long[] low = new long[bytes ? 0 : SAMPLE_KEYS];
        byte[][] texts = new byte[bytes ? SAMPLE_KEYS : 0][];
        int[] each = new int[SAMPLE_KEYS];
        for (int k = 0; k < SAMPLE_KEYS; k++) {
            each[k] = k;
            long number = k;
            List<Object> key = view.group().stream()
                    .map(field -> sampleValue(field.type(), number))
                    .toList();
            if (bytes) {
                texts[k] = codec.bytes(key);
            } else {
                low[k] = number;
            }
        }
        int columns = plan.inputs().stream().mapToInt(KeyedPlan.Input::columns).sum();
        long[] matches = new long[SAMPLE_KEYS];
        Arrays.fill(matches, -1);
        return new KeyedBlock(
                high.length > 0 ? high : null,
                bytes ? null : low,
                bytes ? texts : null,
                each,
                new long[SAMPLE_KEYS],
                matches,
                new long[columns][SAMPLE_KEYS]);
    }

    private static Object sampleValue(ValueType type, long number) {
        return switch (type) {
            case UUID -> new UUID(0, number).toString();
            case STRING -> "sixteen %08d".formatted(number);
            case INT64 -> number;
            case BOOL -> number % 2 == 0;
        };
    }

    double everySeconds() {
        return view.windows().every().millis() / 1000.0;
    }

    @Override
    public double rowsPerSecond() {
        return activeKeys / everySeconds();
    }

    /** Keys with an event in one pane: at most the number of keys, and at most the number of events. */
    public double keysPerPane() {
        return Math.min((double) activeKeys, eventsPerSecond * everySeconds());
    }

    /** Panes that accept events at the same time, and those that windows still need. */
    public long panes() {
        long open = 1
                + (long) Math.ceil(view.source().maxOutOfOrderness().millis()
                        / (double) view.windows().every().millis());
        int largest = view.windows().largestPanes();
        return largest == 1 ? open : open + largest;
    }

    @Override
    public double stateBytes() {
        return panes() * keysPerPane() * paneBytes + activeKeys * windowBytes;
    }

    /** Length of a row as JSON. */
    @Override
    public double jsonRowBytes() {
        return RowJson.of(view).value(sample, 0, 0).length;
    }

    /** Length of a row's share in a packed block. */
    @Override
    public double packedRowBytes() {
        return RowCodec.of(view).encodeBlock(sample, 0).length / (double) SAMPLE_ROWS;
    }

    /** Length of a row in the store, its key included. */
    @Override
    public double storedRowBytes() {
        int key = view.qualifiedName().length() + SEPARATOR + sample.keyBytes(new KeyCodec(view), 0).length;
        return key + RowCodec.of(view).encodeRow(sample, 0).length;
    }

    /** Rows that the store holds: the newest of each key, and with history one per window end. */
    @Override
    public double storedRows() {
        return ViewFootprint.storedRows(view, (double) activeKeys);
    }
}
