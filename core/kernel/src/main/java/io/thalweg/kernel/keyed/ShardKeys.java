package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import io.thalweg.kernel.table.Mix;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Converts the keys of a shard to the words by which its tables identify them, and back.
 *
 * <p><b>Shape.</b> A key has a first word, spread over 64 bits, and, if it has 128 bits, a second one. The first word of a byte
 * key is a code that {@link ByteKeys} assigns.
 */
final class ShardKeys {
    private static final byte[] NO_BYTES = {};

    private final Layout layout;
    private final @Nullable ByteKeys codes;
    private long[] words = {};
    private long[] seconds = {};

    ShardKeys(Layout layout) {
        this(layout, layout.spec.keys() == KeyForm.BYTES ? new ByteKeys() : null);
    }

    private ShardKeys(Layout layout, @Nullable ByteKeys codes) {
        this.layout = layout;
        this.codes = codes;
    }

    ShardKeys copy() {
        return new ShardKeys(layout, codes == null ? null : codes.copy());
    }

    /** Computes the words of the keys of a block: {@link #words()}, {@link #second}. */
    void resolve(KeyedBlock block) {
        int keys = block.keys();
        if (words.length < keys) {
            words = new long[keys];
        }
        if (layout.keyWords == 2 && seconds.length < keys) {
            seconds = new long[keys];
        }
        byte[][] bytes = block.keyBytes();
        long[] high = block.keyHigh();
        long[] low = block.keyLow();
        if (codes != null && bytes != null) {
            for (int k = 0; k < keys; k++) {
                words[k] = codes.code(bytes[k]);
            }
        } else if (layout.keyWords == 2 && high != null && low != null) {
            System.arraycopy(high, 0, seconds, 0, keys);
            for (int k = 0; k < keys; k++) {
                words[k] = KeyWord.of(high[k], low[k]);
            }
        } else if (low != null) {
            for (int k = 0; k < keys; k++) {
                words[k] = KeyWord.of(low[k]);
            }
        }
    }

    /** The first words of the keys of the block resolved last. */
    long[] words() {
        return words;
    }

    /** The second word of a key of the block resolved last; 0 for keys of one word. */
    long second(int key) {
        return layout.keyWords == 2 ? seconds[key] : 0;
    }

    /** Sets the words of byte keys; returns which keys the shard may contain. */
    boolean[] resolve(KeyedReads reads, int from, int to) {
        boolean[] known = new boolean[to - from];
        if (codes == null) {
            Arrays.fill(known, true);
            return known;
        }
        for (int key = from; key < to; key++) {
            Long code = codes.codeIfKnown(reads.bytes[key]);
            known[key - from] = code != null;
            reads.words[key] = code == null ? 0 : code;
        }
        return known;
    }

    /** Adds the row of a key whose windows are adjacent from {@code at} on. */
    void row(long word, long second, long[] windows, int at, Spill spill, KeyedRows rows) {
        long events = windows[at + layout.largestWindowAt()];
        if (codes != null) {
            rows.add(0, word, codes.key(word), events);
        } else if (layout.keyWords == 2) {
            rows.add(second, Mix.unpair(word, second), NO_BYTES, events);
        } else {
            rows.add(0, Mix.unmix(word), NO_BYTES, events);
        }
        layout.finish(windows, at, spill, rows);
    }

    /** Records that keys are added to a pane. */
    void filled(long pane) {
        if (codes != null) {
            codes.filled(pane);
        }
    }

    /** Records that all panes before this one were dropped. */
    void dropBefore(long pane) {
        if (codes != null) {
            codes.dropBefore(pane);
        }
    }

    long bytes() {
        return codes == null ? 0 : codes.bytes();
    }

    void write(DataOutput out) throws IOException {
        if (codes != null) {
            codes.write(out);
        }
    }

    void read(DataInput in) throws IOException {
        if (codes != null) {
            codes.read(in);
        }
    }
}
