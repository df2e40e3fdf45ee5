package io.thalweg.kernel.keyed;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Accepted events of one shard, as columns. Must not be modified after it is handed over.
 *
 * <p><b>Shape.</b> An entry is one event, or several events of one key, pane and matches that were combined upstream; its inputs
 * are the sums of theirs. Only counts and integer sums are combined, see {@link KeyedSpec#combines}.
 *
 * @param keyHigh upper halves of the keys for {@link KeyForm#PAIR}, otherwise null
 * @param keyLow lower halves, or the keys, for {@link KeyForm#PAIR} and {@link KeyForm#LONG}, otherwise null
 * @param keyBytes the keys for {@link KeyForm#BYTES}, otherwise null
 * @param key the key of each entry; null if entry {@code e} belongs to key {@code e}
 * @param panes the pane of each entry, or one pane for all of them
 * @param matches which of the measures' own conditions hold for each entry: bit {@code f - 1} for filter {@code f}; null
 *     without filters
 * @param weights number of events that each entry represents, at least 1; null if each is one
 * @param inputs columns, indexed by {@link KeyedMeasure#column}; only read for entries that pass the measure's filter
 */
public record KeyedBlock(
        long @Nullable [] keyHigh,
        long @Nullable [] keyLow,
        byte @Nullable [][] keyBytes,
        int @Nullable [] key,
        long[] panes,
        long @Nullable [] matches,
        long @Nullable [] weights,
        long[][] inputs) {

    /** Creates a block whose entries are one event each. */
    public KeyedBlock(
            long @Nullable [] keyHigh,
            long @Nullable [] keyLow,
            byte @Nullable [][] keyBytes,
            int @Nullable [] key,
            long[] panes,
            long @Nullable [] matches,
            long[][] inputs) {
        this(keyHigh, keyLow, keyBytes, key, panes, matches, null, inputs);
    }

    /** The number of entries. */
    public int entries() {
        return key != null ? key.length : keys();
    }

    /** The number of events that the entries represent. */
    public long events() {
        return weights == null ? entries() : Arrays.stream(weights).sum();
    }

    /** The pane of entry {@code e}. */
    public long pane(int e) {
        return panes[panes.length == 1 ? 0 : e];
    }

    /** The number of distinct keys. */
    public int keys() {
        return keyBytes != null ? keyBytes.length : keyLow != null ? keyLow.length : 0;
    }

    /** Writes the block column by column. */
    public void write(DataOutput out) throws IOException {
        writeLongs(keyHigh, out);
        writeLongs(keyLow, out);
        out.writeInt(keyBytes == null ? -1 : keyBytes.length);
        for (int k = 0; keyBytes != null && k < keyBytes.length; k++) {
            out.writeInt(keyBytes[k].length);
            out.write(keyBytes[k]);
        }
        out.writeInt(key == null ? -1 : key.length);
        for (int e = 0; key != null && e < key.length; e++) {
            out.writeInt(key[e]);
        }
        writeLongs(panes, out);
        writeLongs(matches, out);
        writeLongs(weights, out);
        out.writeInt(inputs.length);
        for (long[] input : inputs) {
            writeLongs(input, out);
        }
    }

    /** Reads what {@link #write} wrote. */
    public static KeyedBlock read(DataInput in) throws IOException {
        long[] keyHigh = readLongs(in);
        long[] keyLow = readLongs(in);
        int texts = in.readInt();
        byte[][] keyBytes = texts < 0 ? null : new byte[texts][];
        for (int k = 0; keyBytes != null && k < texts; k++) {
            keyBytes[k] = new byte[in.readInt()];
            in.readFully(keyBytes[k]);
        }
        int keyed = in.readInt();
        int[] key = keyed < 0 ? null : new int[keyed];
        for (int e = 0; key != null && e < keyed; e++) {
            key[e] = in.readInt();
        }
        long[] panes = present(readLongs(in));
        long[] matches = readLongs(in);
        long[] weights = readLongs(in);
        long[][] inputs = new long[in.readInt()][];
        for (int column = 0; column < inputs.length; column++) {
            inputs[column] = present(readLongs(in));
        }
        return new KeyedBlock(keyHigh, keyLow, keyBytes, key, panes, matches, weights, inputs);
    }

    private static long[] present(long @Nullable [] column) throws IOException {
        if (column == null) {
            throw new IOException("a block must have its panes and all its inputs");
        }
        return column;
    }

    private static void writeLongs(long @Nullable [] column, DataOutput out) throws IOException {
        out.writeInt(column == null ? -1 : column.length);
        for (int i = 0; column != null && i < column.length; i++) {
            out.writeLong(column[i]);
        }
    }

    private static long @Nullable [] readLongs(DataInput in) throws IOException {
        int length = in.readInt();
        if (length < 0) {
            return null;
        }
        long[] column = new long[length];
        for (int i = 0; i < length; i++) {
            column[i] = in.readLong();
        }
        return column;
    }
}
