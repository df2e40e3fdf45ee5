package io.thalweg.model.row;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedRows;
import io.thalweg.model.FeatureView;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a keyed view at one window end, as columns: what leaves the compute job and what the codecs and stores take.
 *
 * <p><b>Shape.</b> Row {@code i} has the key {@code keyHigh[i]}, {@code keyLow[i]} or {@code keyBytes[i]} (see {@link
 * KeyCodec}), and its feature {@code f} stands at {@code i * features + f} of {@code high}, {@code low} and {@code nulls}: an
 * integer's two words, or a double's raw bits in {@code low}, as the view's measures have it. The bytes of a text or list
 * are at that
 * place of {@code payloads}.
 *
 * <p><b>Threads.</b> Never changed once handed over.
 *
 * @param view qualified name
 * @param shard which of the job's shards owns the keys: its progress record follows these rows
 * @param windowEndMs epoch ms
 * @param sequence 0 for FINAL rows; grows with each PARTIAL row of the same window end
 * @param keyBytes null unless keys are bytes; then {@code keyHigh} and {@code keyLow} mean nothing
 * @param payloads null where all features are numbers; null at the place of one that is a number or absent
 */
public record KeyedRowBlock(
        String view,
        int shard,
        long windowEndMs,
        Finality finality,
        long sequence,
        long[] keyHigh,
        long[] keyLow,
        byte @Nullable [][] keyBytes,
        long[] high,
        long[] low,
        boolean[] nulls,
        byte @Nullable [] @Nullable [] payloads)
        implements RowBlock {

    /** Spelled out, since a compact constructor loses in its class file what may be null. */
    public KeyedRowBlock(
            String view,
            int shard,
            long windowEndMs,
            Finality finality,
            long sequence,
            long[] keyHigh,
            long[] keyLow,
            byte @Nullable [][] keyBytes,
            long[] high,
            long[] low,
            boolean[] nulls,
            byte @Nullable [] @Nullable [] payloads) {
        if (sequence < 0 || (finality == Finality.FINAL && sequence != 0)) {
            throw new IllegalArgumentException(
                    "sequence must be at least 0, and 0 for FINAL rows, was " + sequence + " for " + finality);
        }
        this.view = view;
        this.shard = shard;
        this.windowEndMs = windowEndMs;
        this.finality = finality;
        this.sequence = sequence;
        this.keyHigh = keyHigh;
        this.keyLow = keyLow;
        this.keyBytes = keyBytes;
        this.high = high;
        this.low = low;
        this.nulls = nulls;
        this.payloads = payloads;
    }

    /** Rows whose features are all numbers. */
    public KeyedRowBlock(
            String view,
            int shard,
            long windowEndMs,
            Finality finality,
            long sequence,
            long[] keyHigh,
            long[] keyLow,
            byte @Nullable [][] keyBytes,
            long[] high,
            long[] low,
            boolean[] nulls) {
        this(view, shard, windowEndMs, finality, sequence, keyHigh, keyLow, keyBytes, high, low, nulls, null);
    }

    /** Copies rows {@code from} to {@code to}. */
    public static KeyedRowBlock of(
            FeatureView view,
            int shard,
            long windowEndMs,
            Finality finality,
            long sequence,
            KeyedRows rows,
            int from,
            int to) {
        int count = to - from;
        int features = rows.features();
        boolean bytes = rows.form() == KeyForm.BYTES;
        KeyedRowBlock block = new KeyedRowBlock(
                view.qualifiedName(),
                shard,
                windowEndMs,
                finality,
                sequence,
                new long[bytes ? 0 : count],
                new long[bytes ? 0 : count],
                bytes ? new byte[count][] : null,
                new long[count * features],
                new long[count * features],
                new boolean[count * features]);
        for (int row = 0; row < count; row++) {
            block.copy(rows, from + row, row);
        }
        return block;
    }

    private void copy(KeyedRows rows, int from, int to) {
        if (keyBytes != null) {
            keyBytes[to] = rows.keyBytes(from);
        } else {
            keyHigh[to] = rows.keyHigh(from);
            keyLow[to] = rows.keyLow(from);
        }
        int features = rows.features();
        for (int feature = 0; feature < features; feature++) {
            high[to * features + feature] = rows.high(from, feature);
            low[to * features + feature] = rows.low(from, feature);
            nulls[to * features + feature] = rows.isNull(from, feature);
        }
    }

    @Override
    public int rows() {
        return keyBytes != null ? keyBytes.length : keyLow.length;
    }

    @Override
    public KeyedRowBlock rows(int from, int to) {
        int features = low.length / rows();
        return new KeyedRowBlock(
                view,
                shard,
                windowEndMs,
                finality,
                sequence,
                keyBytes == null ? Arrays.copyOfRange(keyHigh, from, to) : keyHigh,
                keyBytes == null ? Arrays.copyOfRange(keyLow, from, to) : keyLow,
                keyBytes == null ? null : Arrays.copyOfRange(keyBytes, from, to),
                Arrays.copyOfRange(high, from * features, to * features),
                Arrays.copyOfRange(low, from * features, to * features),
                Arrays.copyOfRange(nulls, from * features, to * features),
                payloads == null ? null : Arrays.copyOfRange(payloads, from * features, to * features));
    }

    @Override
    public long heapBytes() {
        long bytes = 16L * keyLow.length + 17L * low.length;
        for (int row = 0; keyBytes != null && row < keyBytes.length; row++) {
            bytes += 24 + keyBytes[row].length;
        }
        for (int at = 0; payloads != null && at < payloads.length; at++) {
            byte[] payload = payloads[at];
            bytes += payload == null ? 4 : 24 + payload.length;
        }
        return bytes;
    }

    /** Canonical bytes of a row's key; not a copy. */
    public byte[] keyBytes(KeyCodec keys, int row) {
        return keyBytes != null ? keyBytes[row] : keys.bytes(key(keys, row));
    }

    /** Values of a row's key, in the view's order. */
    public List<Object> key(KeyCodec keys, int row) {
        return keyBytes != null ? keys.ofBytes(keyBytes[row]) : keys.decode(keyHigh[row], keyLow[row], null);
    }
}
