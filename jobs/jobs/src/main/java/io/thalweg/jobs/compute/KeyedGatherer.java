package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.keyed.KeyedSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gathers events of a keyed view per shard and sends them as blocks. It combines events where that is allowed, so that many events of
 * one key cross the network as one entry. A key of words is kept with each entry, a key of bytes once per block.
 *
 * <p>Blocks are sent when they are full, and everything gathered at {@link #flush}. The caller flushes before watermarks and barriers,
 * and soon enough for live reads, as {@link GatheringOperator} does.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
public final class KeyedGatherer {
    private static final long[] NO_INPUTS = {};

    /** A key of bytes, and its index in the current block, if it occurs there. */
    private static final class Key {
        private final byte[] bytes;
        private final int shard;
        private long block = -1;
        private int place;

        Key(byte[] bytes) {
            this.bytes = bytes;
            this.shard = Shards.of(KeyWord.of(bytes));
        }
    }

    private final Consumer<? super KeyedShardBlock> output;
    private final IntFunction<byte[]> bytesOf;
    private final KeyForm form;
    private final boolean filtered;
    private final int columns;
    private final PerShard<Keys> shards = new PerShard<>(Keys::new);
    private final List<Key> known = new ArrayList<>();
    private final @Nullable Combiner combiner;
    private long blocks;

    /**
     * Creates an empty gatherer.
     *
     * @param spec of a view whose keys are words
     */
    public KeyedGatherer(KeyedSpec spec, Consumer<? super KeyedShardBlock> output) {
        this(
                spec,
                number -> {
                    throw new IllegalArgumentException("keys of bytes have no number here");
                },
                Combiner.BUCKET_BITS,
                output);
    }

    /** Creates an empty gatherer; keys of bytes are numbered from 0. */
    KeyedGatherer(
            KeyedSpec spec, IntFunction<byte[]> bytesOf, int combinerBits, Consumer<? super KeyedShardBlock> output) {
        this.output = output;
        this.bytesOf = bytesOf;
        this.form = spec.keys();
        this.filtered = spec.filters() > 0;
        this.columns = spec.columns();
        this.combiner =
                spec.combines() ? new Combiner(combinerBits, form == KeyForm.PAIR, columns, this::gather) : null;
    }

    /**
     * Takes an event without inputs, with a key of 64 bits.
     *
     * @param matches as in {@link KeyedBlock#matches}
     */
    public void add(long key, long pane, long matches) {
        add(0, key, pane, matches, NO_INPUTS);
    }

    /**
     * Takes an event.
     *
     * @param keyHigh the key's upper half; 0 if it has 64 bits
     * @param keyLow the key's lower half, or the whole key
     * @param matches as in {@link KeyedBlock#matches}
     * @param inputs a value for each of the columns of {@link KeyedBlock#inputs}; not kept
     */
    public void add(long keyHigh, long keyLow, long pane, long matches, long[] inputs) {
        Combiner combining = combiner;
        if (combining == null || !combining.add(keyHigh, keyLow, pane, matches, inputs)) {
            gather(keyHigh, keyLow, pane, matches, 1, inputs, 0);
        }
    }

    private void gather(long keyHigh, long keyLow, long pane, long matches, long events, long[] inputs, int at) {
        switch (form) {
            case LONG -> shards.at(Shards.of(KeyWord.of(keyLow))).add(0, keyLow, pane, matches, events, inputs, at);
            case PAIR ->
                shards.at(Shards.of(KeyWord.of(keyHigh, keyLow)))
                        .add(keyHigh, keyLow, pane, matches, events, inputs, at);
            case BYTES -> {
                Key key = key((int) keyLow);
                shards.at(key.shard).add(key, pane, matches, events, inputs, at);
            }
        }
    }

    private Key key(int number) {
        while (known.size() <= number) {
            known.add(new Key(bytesOf.apply(known.size())));
        }
        return known.get(number);
    }

    /** Sends everything gathered. */
    public void flush() {
        if (combiner != null) {
            combiner.flush();
        }
        shards.send();
    }

    /** Forgets the numbers of keys, because their numbering restarts. Requires that everything was flushed. */
    void forgetKeys() {
        known.clear();
    }

    /** The buffered entries of one shard. */
    private final class Keys extends Gathering<KeyedShardBlock> {
        private final List<byte[]> keyBytes = new ArrayList<>();
        private long block = blocks++;
        private long[] keyHigh = {};
        private long[] keyLow = {};
        private int[] key = {};
        private final UniformColumn panes = new UniformColumn();
        private final UniformColumn matches = new UniformColumn();
        private final UniformColumn weights = new UniformColumn();
        private final long[][] inputs = new long[columns][0];

        private Keys(int shard) {
            super(shard, output);
        }

        private void add(Key of, long pane, long matching, long events, long[] values, int at) {
            int e = next();
            if (of.block != block) {
                of.block = block;
                of.place = keyBytes.size();
                keyBytes.add(of.bytes);
            }
            key[e] = of.place;
            add(e, pane, matching, events, values, at);
        }

        private void add(long high, long low, long pane, long matching, long events, long[] values, int at) {
            int e = next();
            keyLow[e] = low;
            if (form == KeyForm.PAIR) {
                keyHigh[e] = high;
            }
            add(e, pane, matching, events, values, at);
        }

        private void add(int e, long pane, long matching, long events, long[] values, int at) {
            panes.put(e, pane, capacity());
            weights.put(e, events, capacity());
            if (filtered) {
                matches.put(e, matching, capacity());
            }
            for (int c = 0; c < columns; c++) {
                inputs[c][e] = values[at + c];
            }
            added();
        }

        @Override
        void grow(int toCapacity) {
            if (form == KeyForm.BYTES) {
                key = Arrays.copyOf(key, toCapacity);
            } else {
                keyLow = Arrays.copyOf(keyLow, toCapacity);
                keyHigh = form == KeyForm.PAIR ? Arrays.copyOf(keyHigh, toCapacity) : keyHigh;
            }
            for (int c = 0; c < columns; c++) {
                inputs[c] = Arrays.copyOf(inputs[c], toCapacity);
            }
        }

        @Override
        KeyedShardBlock take(int count) {
            boolean bytes = form == KeyForm.BYTES;
            long[][] taken = new long[columns][];
            Arrays.setAll(taken, c -> Arrays.copyOf(inputs[c], count));
            KeyedBlock entries = new KeyedBlock(
                    form == KeyForm.PAIR ? Arrays.copyOf(keyHigh, count) : null,
                    bytes ? null : Arrays.copyOf(keyLow, count),
                    bytes ? keyBytes.toArray(byte[][]::new) : null,
                    bytes ? Arrays.copyOf(key, count) : null,
                    panes.takeShort(count),
                    filtered ? matches.take(count) : null,
                    weights.is(1) ? null : weights.take(count),
                    taken);
            keyBytes.clear();
            block = blocks++;
            return new KeyedShardBlock(shard, entries);
        }
    }
}
