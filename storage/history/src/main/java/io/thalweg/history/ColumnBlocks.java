package io.thalweg.history;

import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns rows of a log in columns back into blocks, one for consecutive rows with the same window end. Only for keyed views: their columns
 * have the exact values, those of views with rings have quotients of sums.
 *
 * <p><b>Threads.</b> One.
 */
final class ColumnBlocks {
    private static final int SHARD = 0;

    private final FeatureView view;
    private final KeyCodec keys;
    private final boolean[] doubles;

    /** Rows of one window end. */
    private final List<List<Object>> keysOfRun = new ArrayList<>();

    private final List<long[]> valuesOfRun = new ArrayList<>();
    private final List<boolean[]> nullsOfRun = new ArrayList<>();

    ColumnBlocks(FeatureView view) {
        this.view = view;
        keys = new KeyCodec(view);
        List<String> types = view.featureTypes();
        doubles = new boolean[types.size()];
        for (int i = 0; i < doubles.length; i++) {
            doubles[i] = types.get(i).equals("double");
        }
    }

    /** The columns that are read, in the order in which {@link #read} takes them. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        view.entities().forEach(entity -> names.add(entity.name()));
        names.add(LogLayout.WINDOW_END);
        names.addAll(view.featureNames());
        return names;
    }

    /** Passes on the rows with window ends in a range, both ends inclusive, epoch ms. */
    void read(ColumnBatch batch, long fromMs, long toMs, FeatureLog.Blocks into) throws IOException {
        List<LeafCursor> cursors = batch.leaves().stream().map(LeafCursor::new).toList();
        int entities = view.entities().size();
        long runMs = 0;
        for (int row = 0; row < batch.rows(); row++) {
            List<Object> key = new ArrayList<>(entities);
            for (int i = 0; i < entities; i++) {
                cursors.get(i).next();
                key.add(value(view.entities().get(i), cursors.get(i)));
            }
            cursors.get(entities).next();
            long endMs = cursors.get(entities).number() / 1_000;
            long[] values = new long[doubles.length];
            boolean[] nulls = new boolean[doubles.length];
            for (int f = 0; f < doubles.length; f++) {
                LeafCursor feature = cursors.get(entities + 1 + f);
                nulls[f] = !feature.next();
                values[f] = nulls[f] ? 0 : feature.number();
            }
            if (endMs < fromMs || endMs > toMs) {
                continue;
            }
            if (endMs != runMs) {
                end(runMs, into);
                runMs = endMs;
            }
            keysOfRun.add(key);
            valuesOfRun.add(values);
            nullsOfRun.add(nulls);
        }
        end(runMs, into);
    }

    private static Object value(Entity entity, LeafCursor value) {
        return switch (((Entity.Field) entity).type()) {
            case INT64 -> value.number();
            case BOOL -> value.number() != 0;
            case STRING, UUID -> value.text();
        };
    }

    private void end(long endMs, FeatureLog.Blocks into) throws IOException {
        int rows = keysOfRun.size();
        if (rows == 0) {
            return;
        }
        KeyColumns keyColumns = KeyColumns.of(keys.form(), rows);
        ValueColumns values = ValueColumns.ofNumbers(rows * doubles.length);
        for (int row = 0; row < rows; row++) {
            List<Object> key = keysOfRun.get(row);
            byte[][] bytes = keyColumns.bytes();
            if (bytes != null) {
                bytes[row] = keys.bytes(key);
            } else {
                keyColumns.high()[row] = keys.high(key);
                keyColumns.low()[row] = keys.low(key);
            }
            for (int f = 0; f < doubles.length; f++) {
                int at = row * doubles.length + f;
                values.low()[at] = valuesOfRun.get(row)[f];
                values.high()[at] = doubles[f] ? 0 : values.low()[at] >> 63;
                values.nulls()[at] = nullsOfRun.get(row)[f];
            }
        }
        keysOfRun.clear();
        valuesOfRun.clear();
        nullsOfRun.clear();
        into.add(new KeyedRowBlock(BlockHead.ofFinal(view.qualifiedName(), SHARD, endMs), keyColumns, values), endMs);
    }
}
