package io.thalweg.jobs.compute;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.block.SliceBlock;
import io.thalweg.kernel.hex.Halo;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.pane.OpenPane;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.kernel.pane.PaneSlice;
import io.thalweg.kernel.pane.ShardPanes;
import io.thalweg.kernel.pane.TileGroup;
import io.thalweg.live.LiveReads;
import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Counts events into the open panes of their shard. When the watermark closes a pane, its counts are emitted as slices: to the tiles
 * that own the cells, and to the neighbours that need cells near their border (the halo). Counts cross the network once per pane, not
 * once per event and ring; the pane's sets are dropped whole.
 *
 * <p><b>State.</b> {@link ShardPanes} per shard.
 */
final class AccumulateOperator extends ShardWalkOperator<ShardBlock, SliceBlock> {
    private final PaneClock clock;
    private final String jobId;
    private final boolean answersLive;

    private transient HexTiling tiling;
    private transient Halo halo;
    private transient ValueState<ShardPanes> panes;
    private transient ViewMetrics counts;

    private transient long walkEnd;
    private transient int walkShard;

    /**
     * Creates the operator of a view.
     *
     * @param answersLive whether the operator serves live reads
     */
    AccumulateOperator(FeatureView view, String jobId, boolean answersLive) {
        super(view, Long.MIN_VALUE);
        this.clock = view.clock();
        this.jobId = jobId;
        this.answersLive = answersLive;
    }

    @Override
    public void open() throws Exception {
        super.open();
        tiling = HexTiling.of(view.cell().resolution());
        halo = new Halo(tiling, view.rings().get(view.rings().size() - 1));
        panes = getRuntimeContext().getState(new ValueStateDescriptor<>("panes", new ShardPanesSerializer()));
        counts = restoreCounts(jobId, "accumulate");
        if (answersLive) {
            answerLiveReads(jobId, LiveReads.oneByOne(this::read));
        }
    }

    /** Returns the current count of a cell in the first pane that the watermark has not closed. */
    private LiveRow read(LiveKey key) throws Exception {
        ByteBuffer bytes = key.getKey().asReadOnlyByteBuffer();
        if (bytes.remaining() < Long.BYTES) {
            throw new IllegalArgumentException("a key must begin with the 8 bytes of its cell");
        }
        long cell = bytes.getLong();
        byte[] group = new byte[bytes.remaining()];
        bytes.get(group);
        long tile = tiling.tile(cell);
        if (Shards.of(tile) != key.getShard()) {
            throw new IllegalArgumentException("cell " + Long.toHexString(cell) + " is of shard " + Shards.of(tile)
                    + ", not of shard " + key.getShard());
        }
        selectShard(key.getShard());
        ShardPanes shard = panes.value();
        long closed = clock.endsReached(reachedMs());
        long pane = shard == null ? closed : Math.max(closed, shard.closedBefore());
        long count = shard == null ? 0 : shard.count(pane, new TileGroup(tile, group), tiling.slot(cell));
        return liveRow(clock, pane, reachedMs())
                .setStatus(count > 0 ? LiveStatus.FOUND : LiveStatus.EMPTY)
                .setCount(count)
                .build();
    }

    @Override
    public void processElement(StreamRecord<ShardBlock> element) throws Exception {
        ShardBlock block = element.getValue();
        ShardPanes shard = panes.value();
        if (shard == null) {
            shard = new ShardPanes(tiling.slots(), clock.endsReached(reachedMs()));
            panes.update(shard);
        }
        accumulate(block, shard);
    }

    private void accumulate(ShardBlock block, ShardPanes shard) {
        long[] idHi = block.idHi();
        long[] idLo = block.idLo();
        long paneNumber = 0;
        OpenPane pane = null;
        int[] lots = new int[block.tileGroups().length];
        for (int e = 0; e < block.entries(); e++) {
            if (shard.isClosed(block.panes()[e])) {
                counts.lateIdleDropped(1);
                continue;
            }
            if (pane == null || paneNumber != block.panes()[e]) {
                paneNumber = block.panes()[e];
                pane = shard.pane(paneNumber);
                Arrays.fill(lots, -1);
            }
            int lot = lots[block.lot()[e]];
            if (lot < 0) {
                lot = pane.lot(block.tileGroups()[block.lot()[e]]);
                lots[block.lot()[e]] = lot;
            }
            if (idHi == null || idLo == null) {
                pane.addEvent(lot, block.slots()[e]);
            } else {
                pane.addDistinct(lot, block.slots()[e], idHi[e], idLo[e]);
            }
        }
    }

    @Override
    void beginWalk(long watermarkMs) {
        walkEnd =
                watermarkMs == Watermark.MAX_WATERMARK.getTimestamp() ? Long.MAX_VALUE : clock.endsReached(watermarkMs);
        walkShard = firstShard();
    }

    @Override
    boolean step() throws Exception {
        for (; walkShard <= lastShard(); walkShard++) {
            selectShard(walkShard);
            ShardPanes shard = panes.value();
            if (shard != null) {
                List<PaneSlice> slices = shard.closeOldest(walkEnd);
                if (!slices.isEmpty()) {
                    emit(slices);
                    return true;
                }
            }
        }
        return false;
    }

    private void emit(List<PaneSlice> own) {
        Map<Integer, List<PaneSlice>> perShard = new TreeMap<>();
        for (PaneSlice slice : own) {
            add(perShard, slice);
            for (PaneSlice strip : halo(slice)) {
                add(perShard, strip);
            }
        }
        perShard.forEach((shard, slices) -> output.collect(new StreamRecord<>(new SliceBlock(shard, slices))));
    }

    private static void add(Map<Integer, List<PaneSlice>> perShard, PaneSlice slice) {
        perShard.computeIfAbsent(Shards.of(slice.to().tile()), shard -> new ArrayList<>())
                .add(slice);
    }

    /** Returns the parts of a slice that neighbouring tiles need. */
    private List<PaneSlice> halo(PaneSlice slice) {
        Map<Long, HaloStrip> strips = new HashMap<>();
        for (int i = 0; i < slice.slots().length; i++) {
            long cell = tiling.cell(slice.from(), slice.slots()[i]);
            for (long neighbour : halo.neighboursNeeding(cell)) {
                strips.computeIfAbsent(neighbour, tile -> new HaloStrip()).add(slice.slots()[i], slice.counts()[i]);
            }
        }
        List<PaneSlice> slices = new ArrayList<>(strips.size());
        strips.forEach((tile, strip) -> slices.add(strip.slice(tile, slice)));
        return slices;
    }

    /** The cells of a slice that one neighbour needs. */
    private static final class HaloStrip {
        private int[] slots = new int[16];
        private int[] counts = new int[16];
        private int length;

        void add(int slot, int count) {
            if (length == slots.length) {
                slots = Arrays.copyOf(slots, 2 * length);
                counts = Arrays.copyOf(counts, 2 * length);
            }
            slots[length] = slot;
            counts[length++] = count;
        }

        PaneSlice slice(long tile, PaneSlice from) {
            return new PaneSlice(
                    new TileGroup(tile, from.to().group()),
                    from.from(),
                    from.pane(),
                    Arrays.copyOf(slots, length),
                    Arrays.copyOf(counts, length));
        }
    }
}
