package io.thalweg.model.row;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The features of rows of a keyed view. Feature {@code f} of row {@code i} is at {@code i * features + f}: an integer's two
 * words, or a double's raw bits in {@code low}, depending on the view's measures. The bytes of a text or list are at the same
 * index of {@code payloads}.
 *
 * <p><b>Threads.</b> Never changed once handed over. The arrays are not copied.
 *
 * @param payloads null if all features are numbers; an element is null if its feature is a number or absent
 */
public record ValueColumns(long[] high, long[] low, boolean[] nulls, byte @Nullable [] @Nullable [] payloads) {
    /** Spelled out because a compact constructor loses the nullness annotations in its class file. */
    public ValueColumns(long[] high, long[] low, boolean[] nulls, byte @Nullable [] @Nullable [] payloads) {
        this.high = high;
        this.low = low;
        this.nulls = nulls;
        this.payloads = payloads;
    }

    /** Creates columns for {@code count} features, all of them numbers. */
    public static ValueColumns ofNumbers(int count) {
        return ofNumbers(new long[count], new long[count], new boolean[count]);
    }

    /** Creates columns of features that are all numbers. */
    public static ValueColumns ofNumbers(long[] high, long[] low, boolean[] nulls) {
        return new ValueColumns(high, low, nulls, null);
    }

    ValueColumns range(int from, int to) {
        return new ValueColumns(
                Arrays.copyOfRange(high, from, to),
                Arrays.copyOfRange(low, from, to),
                Arrays.copyOfRange(nulls, from, to),
                payloads == null ? null : Arrays.copyOfRange(payloads, from, to));
    }

    long heapBytes() {
        long sum = 17L * low.length;
        for (int at = 0; payloads != null && at < payloads.length; at++) {
            byte[] payload = payloads[at];
            sum += payload == null ? 4 : 24 + payload.length;
        }
        return sum;
    }
}
