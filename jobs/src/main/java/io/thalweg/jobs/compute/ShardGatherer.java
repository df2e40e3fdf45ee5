package io.thalweg.jobs.compute;

import io.thalweg.formats.ViewReader;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.pane.TileGroup;
import io.thalweg.model.FeatureView;
import io.thalweg.model.GroupCodec;
import io.thalweg.model.Measure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gathers one view's accepted events per shard, and leaves out most repeats of an identity that was sent already: the exact
 * set follows in accumulation, so a repeat that slips through costs only its way.
 *
 * <p><b>Threads.</b> One.
 */
final class ShardGatherer {
    private static final int BLOCK_EVENTS = 1024;
    private static final int MAX_GROUPS = 100_000;

    /** What the gatherer knows of a tile and group: {@code number} names it for as long as groups are not reset. */
    private record Lot(int number, int shard, TileGroup tileGroup) {}

    private record LotKey(long tile, int group) {}

    private final HexTiling tiling;
    private final ViewReader reader;
    private final GroupCodec codec;
    private final boolean distinct;
    private final Consumer<ShardBlock> output;
    private final Map<LotKey, Lot> lots = new HashMap<>();
    private final List<byte[]> groupBytes = new ArrayList<>();
    private final Gathering[] shards = new Gathering[Shards.COUNT];
    private final RepeatFilter repeats = new RepeatFilter();
    private @Nullable Lot last;
    private int lastGroup;

    ShardGatherer(FeatureView view, ViewReader reader, Consumer<ShardBlock> output) {
        this.tiling = HexTiling.of(view.cell().resolution());
        this.reader = reader;
        this.codec = new GroupCodec(view.group());
        this.distinct = view.measure() instanceof Measure.CountDistinct;
        this.output = output;
    }

    /** Takes the event that the reader judged last. */
    void add(long pane) {
        long cell = reader.cell();
        Lot lot = lot(tiling.tile(cell), reader.groupIndex());
        int slot = tiling.slot(cell);
        if (distinct && repeats.isRepeat(lot.number, slot, pane, reader.idHi(), reader.idLo())) {
            return;
        }
        Gathering gathering = shards[lot.shard];
        if (gathering == null) {
            gathering = new Gathering(lot.shard);
            shards[lot.shard] = gathering;
        }
        gathering.add(lot, pane, slot);
    }

    /** Sends what is gathered. */
    void flush() {
        for (Gathering gathering : shards) {
            if (gathering != null && gathering.events > 0) {
                gathering.send();
            }
        }
        if (groupBytes.size() > MAX_GROUPS) {
            forgetGroups();
        }
    }

    private void forgetGroups() {
        reader.resetGroups();
        groupBytes.clear();
        lots.clear();
        last = null;
        repeats.clear();
        Arrays.fill(shards, null);
    }

    private Lot lot(long tile, int group) {
        Lot known = last;
        if (known != null && lastGroup == group && known.tileGroup.tile() == tile) {
            return known;
        }
        LotKey key = new LotKey(tile, group);
        Lot lot = lots.get(key);
        if (lot == null) {
            lot = new Lot(lots.size(), Shards.of(tile), new TileGroup(tile, groupBytes(group)));
            lots.put(key, lot);
        }
        last = lot;
        lastGroup = group;
        return lot;
    }

    private byte[] groupBytes(int group) {
        while (groupBytes.size() <= group) {
            groupBytes.add(codec.encode(reader.groups().get(groupBytes.size())));
        }
        return groupBytes.get(group);
    }

    /** The events of one shard that have not left yet. */
    private final class Gathering {
        private final int shard;
        private final List<TileGroup> blockLots = new ArrayList<>();
        private final Map<Integer, Integer> blockLotNumbers = new HashMap<>();
        private int events;
        private int[] lot = new int[16];
        private long[] panes = new long[16];
        private int[] slots = new int[16];
        private long[] idHi = new long[distinct ? 16 : 0];
        private long[] idLo = new long[distinct ? 16 : 0];

        Gathering(int shard) {
            this.shard = shard;
        }

        void add(Lot of, long pane, int slot) {
            if (events > 0 && (int) (pane - panes[0]) != pane - panes[0]) {
                // A block holds panes as ints from its first on; a century of seconds does not fit.
                send();
            }
            if (events == lot.length) {
                grow();
            }
            lot[events] = blockLotNumbers.computeIfAbsent(of.number, number -> {
                blockLots.add(of.tileGroup);
                return blockLots.size() - 1;
            });
            panes[events] = pane;
            slots[events] = slot;
            if (distinct) {
                idHi[events] = reader.idHi();
                idLo[events] = reader.idLo();
            }
            if (++events == BLOCK_EVENTS) {
                send();
            }
        }

        private void grow() {
            int capacity = 2 * events;
            lot = Arrays.copyOf(lot, capacity);
            panes = Arrays.copyOf(panes, capacity);
            slots = Arrays.copyOf(slots, capacity);
            if (distinct) {
                idHi = Arrays.copyOf(idHi, capacity);
                idLo = Arrays.copyOf(idLo, capacity);
            }
        }

        void send() {
            output.accept(new ShardBlock(
                    shard,
                    blockLots.toArray(TileGroup[]::new),
                    Arrays.copyOf(lot, events),
                    Arrays.copyOf(panes, events),
                    Arrays.copyOf(slots, events),
                    distinct ? Arrays.copyOf(idHi, events) : null,
                    distinct ? Arrays.copyOf(idLo, events) : null));
            events = 0;
            blockLots.clear();
            blockLotNumbers.clear();
        }
    }
}
