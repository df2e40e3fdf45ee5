package io.thalweg.model.row;

import io.thalweg.kernel.keyed.KeyedRows;
import java.util.List;

/**
 * Rows of a keyed view at one window end, as columns. The compute job emits such blocks; codecs and stores accept them.
 *
 * <p><b>Threads.</b> Never changed once handed over.
 *
 * @param keys one per row
 * @param values the features, row by row
 */
public record KeyedRowBlock(BlockHead head, KeyColumns keys, ValueColumns values) implements RowBlock {
    /** Copies rows {@code from} to {@code to}. */
    public static KeyedRowBlock of(BlockHead head, KeyedRows rows, int from, int to) {
        int count = to - from;
        KeyedRowBlock block = new KeyedRowBlock(
                head, KeyColumns.of(rows.form(), count), ValueColumns.ofNumbers(count * rows.features()));
        for (int row = 0; row < count; row++) {
            block.copy(rows, from + row, row);
        }
        return block;
    }

    private void copy(KeyedRows rows, int from, int to) {
        if (keys.bytes() != null) {
            keys.bytes()[to] = rows.keyBytes(from);
        } else {
            keys.high()[to] = rows.keyHigh(from);
            keys.low()[to] = rows.keyLow(from);
        }
        int features = rows.features();
        for (int feature = 0; feature < features; feature++) {
            values.high()[to * features + feature] = rows.high(from, feature);
            values.low()[to * features + feature] = rows.low(from, feature);
            values.nulls()[to * features + feature] = rows.isNull(from, feature);
        }
    }

    @Override
    public int rows() {
        return keys.rows();
    }

    @Override
    public KeyedRowBlock rows(int from, int to) {
        int features = values.low().length / rows();
        return new KeyedRowBlock(head, keys.rows(from, to), values.range(from * features, to * features));
    }

    @Override
    public long heapBytes() {
        return keys.heapBytes() + values.heapBytes();
    }

    /** Returns the canonical bytes of a row's key; not a copy. */
    public byte[] keyBytes(KeyCodec codec, int row) {
        byte[][] bytes = keys.bytes();
        return bytes != null ? bytes[row] : codec.bytes(key(codec, row));
    }

    /** Returns the values of a row's key, in the view's order. */
    public List<Object> key(KeyCodec codec, int row) {
        byte[][] bytes = keys.bytes();
        return bytes != null ? codec.ofBytes(bytes[row]) : codec.decode(keys.high()[row], keys.low()[row], null);
    }
}
