package io.thalweg.jobs.compute;

import io.thalweg.formats.view.ViewReader;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.pane.TileGroup;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gathers events of a view with rings, and drops most repeats of an identity that was already sent. Accumulation keeps the exact set, so
 * a repeat that slips through costs only its transport.
 */
final class CellGatherer extends ShardGatherer {
    /** The gatherer's entry for a tile and group; {@code number} identifies it until groups are reset. */
    private record GroupSlice(int number, int shard, TileGroup tileGroup) {}

    /** Looked up for most events: a record's generated equals and hashCode cost as much as the rest of the lookup. */
    private record LotKey(long tile, int group) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof LotKey key && key.tile == tile && key.group == group;
        }

        @Override
        public int hashCode() {
            return 31 * Long.hashCode(tile) + group;
        }
    }

    private final HexTiling tiling;
    private final boolean distinct;
    private final Consumer<? super ShardBlock> output;
    private final PerShard<Cells> shards = new PerShard<>(Cells::new);
    private final Map<LotKey, GroupSlice> tileGroups = new HashMap<>();
    private final List<byte[]> groupBytes = new ArrayList<>();
    private final RepeatFilter repeats = new RepeatFilter();
    private @Nullable GroupSlice last;
    private int lastGroup;

    CellGatherer(FeatureView view, ViewReader reader, Consumer<? super ShardBlock> output) {
        super(reader);
        this.tiling = HexTiling.of(view.cell().resolution());
        this.distinct = view.measure() instanceof Measure.CountDistinct;
        this.output = output;
    }

    @Override
    void add(long pane) {
        long cell = reader.cell();
        GroupSlice lot = lot(tiling.tile(cell), reader.groupIndex());
        int slot = tiling.slot(cell);
        if (distinct && repeats.isRepeat(lot.number, slot, pane, reader.idHi(), reader.idLo())) {
            return;
        }
        shards.at(lot.shard).add(lot, pane, slot);
    }

    @Override
    void send() {
        shards.send();
    }

    /** Called after all events were sent, so no block refers to a lot by its number. */
    @Override
    void forgetGroups() {
        groupBytes.clear();
        tileGroups.clear();
        last = null;
        repeats.clear();
    }

    private GroupSlice lot(long tile, int group) {
        GroupSlice known = last;
        if (known != null && lastGroup == group && known.tileGroup.tile() == tile) {
            return known;
        }
        LotKey key = new LotKey(tile, group);
        GroupSlice lot = tileGroups.get(key);
        if (lot == null) {
            lot = new GroupSlice(tileGroups.size(), Shards.of(tile), new TileGroup(tile, groupBytes(group)));
            tileGroups.put(key, lot);
        }
        last = lot;
        lastGroup = group;
        return lot;
    }

    /** Returns the bytes of a group, which its lots share. */
    private byte[] groupBytes(int group) {
        while (groupBytes.size() <= group) {
            groupBytes.add(reader.groupBytes(groupBytes.size()));
        }
        return groupBytes.get(group);
    }

    /** The events of one shard. */
    final class Cells extends Gathering<ShardBlock> {
        private final List<TileGroup> blockLots = new ArrayList<>();
        private final Map<Integer, Integer> blockLotNumbers = new HashMap<>();
        private int[] lot = {};
        private long[] panes = {};
        private int[] slots = {};
        private long[] idHi = {};
        private long[] idLo = {};

        private Cells(int shard) {
            super(shard, output);
        }

        private void add(GroupSlice of, long pane, int slot) {
            if (entries() > 0 && (int) (pane - panes[0]) != pane - panes[0]) {
                // A block holds panes as int offsets from its first one; a century of seconds does not fit.
                send();
            }
            int e = next();
            lot[e] = blockLotNumbers.computeIfAbsent(of.number, number -> {
                blockLots.add(of.tileGroup);
                return blockLots.size() - 1;
            });
            panes[e] = pane;
            slots[e] = slot;
            if (distinct) {
                idHi[e] = reader.idHi();
                idLo[e] = reader.idLo();
            }
            added();
        }

        @Override
        void grow(int toCapacity) {
            lot = Arrays.copyOf(lot, toCapacity);
            panes = Arrays.copyOf(panes, toCapacity);
            slots = Arrays.copyOf(slots, toCapacity);
            if (distinct) {
                idHi = Arrays.copyOf(idHi, toCapacity);
                idLo = Arrays.copyOf(idLo, toCapacity);
            }
        }

        @Override
        ShardBlock take(int count) {
            ShardBlock block = new ShardBlock(
                    shard,
                    blockLots.toArray(TileGroup[]::new),
                    Arrays.copyOf(lot, count),
                    Arrays.copyOf(panes, count),
                    Arrays.copyOf(slots, count),
                    distinct ? Arrays.copyOf(idHi, count) : null,
                    distinct ? Arrays.copyOf(idLo, count) : null);
            blockLots.clear();
            blockLotNumbers.clear();
            return block;
        }
    }
}
