package io.thalweg.jobs.compute;

import io.thalweg.formats.ViewReader;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.RoutedBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Gathers events of a keyed view. A key of words stands beside each event, one of bytes once in a block. */
final class KeyGatherer extends ShardGatherer<KeyGatherer.Keys> {
    /** A key of bytes, and its place in the block that is gathered now, if it has one there. */
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

    private final Consumer<RoutedBlock> output;
    private final KeyForm form;
    private final boolean filtered;
    private final List<Key> known = new ArrayList<>();
    private long blocks;

    KeyGatherer(FeatureView view, ViewReader reader, Consumer<RoutedBlock> output) {
        super(reader);
        KeyedPlan plan = KeyedPlan.of(view);
        this.output = output;
        this.form = plan.spec().keys();
        this.filtered = !plan.filters().isEmpty();
    }

    @Override
    void add(long pane) {
        switch (form) {
            case LONG -> at(Shards.of(KeyWord.of(reader.keyLow()))).add(pane);
            case PAIR ->
                at(Shards.of(KeyWord.of(reader.keyHigh(), reader.keyLow()))).add(pane);
            case BYTES -> {
                Key key = key(reader.groupIndex());
                at(key.shard).add(key, pane);
            }
        }
    }

    private Key key(int group) {
        while (known.size() <= group) {
            known.add(new Key(reader.groupBytes(known.size())));
        }
        return known.get(group);
    }

    @Override
    Keys gathering(int shard) {
        return new Keys(shard);
    }

    @Override
    void forgetGroups() {
        known.clear();
    }

    /** The events of one shard. */
    final class Keys extends Gathering {
        private final List<byte[]> keyBytes = new ArrayList<>();
        private long block = blocks++;
        private long[] keyHigh = {};
        private long[] keyLow = {};
        private int[] key = {};
        private long[] panes = {};
        private long[] matches = {};
        private final long[][] inputs = new long[reader.inputs().length][0];

        private Keys(int shard) {
            super(shard, output);
        }

        private void add(Key of, long pane) {
            int e = next();
            if (of.block != block) {
                of.block = block;
                of.place = keyBytes.size();
                keyBytes.add(of.bytes);
            }
            key[e] = of.place;
            add(e, pane);
        }

        private void add(long pane) {
            int e = next();
            keyLow[e] = reader.keyLow();
            if (form == KeyForm.PAIR) {
                keyHigh[e] = reader.keyHigh();
            }
            add(e, pane);
        }

        private void add(int e, long pane) {
            panes[e] = pane;
            if (filtered) {
                matches[e] = reader.matches();
            }
            long[] values = reader.inputs();
            for (int c = 0; c < values.length; c++) {
                inputs[c][e] = values[c];
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
            panes = Arrays.copyOf(panes, toCapacity);
            matches = filtered ? Arrays.copyOf(matches, toCapacity) : matches;
            for (int c = 0; c < inputs.length; c++) {
                inputs[c] = Arrays.copyOf(inputs[c], toCapacity);
            }
        }

        @Override
        RoutedBlock take(int count) {
            boolean bytes = form == KeyForm.BYTES;
            long[][] columns = new long[inputs.length][];
            Arrays.setAll(columns, c -> Arrays.copyOf(inputs[c], count));
            KeyedBlock taken = new KeyedBlock(
                    form == KeyForm.PAIR ? Arrays.copyOf(keyHigh, count) : null,
                    bytes ? null : Arrays.copyOf(keyLow, count),
                    bytes ? keyBytes.toArray(byte[][]::new) : null,
                    bytes ? Arrays.copyOf(key, count) : null,
                    Arrays.copyOf(panes, count),
                    filtered ? Arrays.copyOf(matches, count) : null,
                    columns);
            keyBytes.clear();
            block = blocks++;
            return new KeyedShardBlock(shard, taken);
        }
    }
}
