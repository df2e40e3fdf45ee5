package io.thalweg.model.row;

import io.thalweg.kernel.keyed.KeyForm;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of rows of a keyed view, as {@link KeyCodec} encodes them: {@code high[i]} and {@code low[i]}, or {@code bytes[i]}.
 *
 * <p><b>Threads.</b> Never changed once handed over. The arrays are not copied.
 *
 * @param bytes null unless keys are bytes; then {@code high} and {@code low} are unused
 */
public record KeyColumns(long[] high, long[] low, byte @Nullable [][] bytes) {
    /** Spelled out because a compact constructor loses the nullness annotations in its class file. */
    public KeyColumns(long[] high, long[] low, byte @Nullable [][] bytes) {
        this.high = high;
        this.low = low;
        this.bytes = bytes;
    }

    /** Creates columns to be filled with keys. */
    public static KeyColumns of(KeyForm form, int rows) {
        return form == KeyForm.BYTES ? ofBytes(new byte[rows][]) : ofWords(new long[rows], new long[rows]);
    }

    /** Creates columns of keys of one or two words. */
    public static KeyColumns ofWords(long[] high, long[] low) {
        return new KeyColumns(high, low, null);
    }

    /** Creates a column of keys as canonical bytes. */
    public static KeyColumns ofBytes(byte[]... keys) {
        return new KeyColumns(new long[0], new long[0], keys);
    }

    /** Creates columns of one key, given by its values in the view's order. */
    public static KeyColumns ofOne(KeyCodec keys, List<Object> key) {
        return keys.form() == KeyForm.BYTES
                ? ofBytes(keys.bytes(key))
                : ofWords(new long[] {keys.high(key)}, new long[] {keys.low(key)});
    }

    /** The number of keys. */
    public int rows() {
        return bytes != null ? bytes.length : low.length;
    }

    KeyColumns rows(int from, int to) {
        return bytes != null
                ? ofBytes(Arrays.copyOfRange(bytes, from, to))
                : ofWords(Arrays.copyOfRange(high, from, to), Arrays.copyOfRange(low, from, to));
    }

    long heapBytes() {
        long sum = 16L * low.length;
        for (int row = 0; bytes != null && row < bytes.length; row++) {
            sum += 24 + bytes[row].length;
        }
        return sum;
    }
}
