package io.thalweg.jobs.compute;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.Emission;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.block.SliceBlock;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TileFeatures;
import io.thalweg.kernel.hex.TileRows;
import io.thalweg.kernel.pane.KeptPanes;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.kernel.pane.PaneSlice;
import io.thalweg.kernel.pane.PlaceCounts;
import io.thalweg.kernel.pane.TileGroup;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Finality;
import io.thalweg.model.GroupCodec;
import io.thalweg.model.PackedRows;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the slices of the last panes and turns them into feature rows, one tile and group after the other, at every window
 * end that the watermark reaches. After the last row of a window end, each shard says so with a progress record.
 *
 * <p><b>State.</b> {@link KeptPanes} per shard, the cursor of a window end under way included.
 */
final class AssembleOperator extends ShardWalkOperator<SliceBlock, Emission> {
    private static final int BLOCK_ROWS = 4096;

    private final FeatureView view;
    private final PaneClock clock;
    private final long coveredFromMs;
    private final boolean packs;
    private final String jobId;

    private transient HexTiling tiling;
    private transient TileFeatures features;
    private transient GroupCodec groups;
    private transient PackedRows codec;
    private transient ViewGuard guard;
    private transient ValueState<KeptPanes> kept;
    private transient JobMetrics.View counts;
    private transient int windowPanes;
    /** No row leaves for a window end before this one: its largest window would not be wholly covered. */
    private transient long firstEnd;

    private transient long walkLimit;
    private transient long walkEnd;
    private transient int walkShard;
    /** The last window end that all shards are done with in this run of the operator. */
    private transient long doneEnd;

    /** What is assembled, by how many panes back. */
    private transient PlaceCounts[] perPane;

    /**
     * Assembles the rows of a view.
     *
     * @param coveredFromMs event time from which on all events are read, {@code Long.MIN_VALUE} where input begins with its
     *     first event; a restored state's own value goes first
     * @param packs whether rows are made as the bits that they leave as, and not as numbers
     */
    AssembleOperator(FeatureView view, long coveredFromMs, boolean packs, String jobId) {
        this.view = view;
        this.clock = new PaneClock(view.windows().every().millis());
        this.coveredFromMs = coveredFromMs;
        this.packs = packs;
        this.jobId = jobId;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        guard = ViewGuard.restore(context, view, coveredFromMs);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        guard.snapshot();
    }

    @Override
    public void open() throws Exception {
        super.open();
        tiling = HexTiling.of(view.cell().resolution());
        int[] rings = view.rings().stream().mapToInt(Integer::intValue).toArray();
        features = new TileFeatures(tiling, rings, view.windows().panes());
        groups = new GroupCodec(view.group());
        codec = new PackedRows(view);
        windowPanes = view.windows().largestPanes();
        firstEnd = guard.coveredFromMs() == Long.MIN_VALUE
                ? Long.MIN_VALUE
                : clock.firstEndAtOrAfter(guard.coveredFromMs()) + windowPanes;
        kept = getRuntimeContext().getState(new ValueStateDescriptor<>("kept", new KeptPanesSerializer()));
        counts = JobMetrics.of(jobId).view(view.qualifiedName());
        counts.firstRowsAt(firstEnd == Long.MIN_VALUE ? Long.MIN_VALUE : clock.endMs(firstEnd));
        doneEnd = Long.MIN_VALUE;
        perPane = new PlaceCounts[windowPanes + 2];
        guard.dropIfWarmingUp(this::dropKept);
        if (guard.shrunk()) {
            shrinkKept(guard.keptLargestRing());
        }
    }

    /** Neighbours have sent what lies farther from a tile than its disks reach now. */
    private void shrinkKept(int keptLargestRing) throws Exception {
        TileFeatures before = new TileFeatures(tiling, new int[] {keptLargestRing}, new int[] {1});
        for (int shard = firstShard(); shard <= lastShard(); shard++) {
            selectShard(shard);
            KeptPanes panes = kept.value();
            if (panes != null) {
                panes.replaceCounts((lot, counts) -> features.shrunk(lot.tile(), counts, before));
            }
        }
    }

    private void dropKept() throws Exception {
        for (int shard = firstShard(); shard <= lastShard(); shard++) {
            selectShard(shard);
            kept.clear();
        }
    }

    @Override
    public void processElement(StreamRecord<SliceBlock> element) throws Exception {
        KeptPanes shard = kept.value();
        if (shard == null) {
            shard = new KeptPanes(doneEnd);
            kept.update(shard);
        }
        for (PaneSlice slice : element.getValue().slices()) {
            shard.add(slice.to(), placed(slice));
        }
    }

    private KeptPanes.Slice placed(PaneSlice slice) {
        int[] places = new int[slice.slots().length];
        for (int i = 0; i < places.length; i++) {
            places[i] = features.place(slice.to().tile(), tiling.cell(slice.from(), slice.slots()[i]));
            if (places[i] < 0) {
                throw new IllegalStateException("a cell of tile " + Long.toHexString(slice.from())
                        + " was sent to tile " + Long.toHexString(slice.to().tile()) + ", which does not need it");
            }
        }
        return new KeptPanes.Slice(slice.pane(), PlaceCounts.ofUnordered(places, slice.counts()));
    }

    @Override
    void beginWalk(long watermarkMs) throws Exception {
        boolean toTheEnd = watermarkMs == Watermark.MAX_WATERMARK.getTimestamp();
        walkLimit = toTheEnd ? Long.MAX_VALUE : clock.endsReached(watermarkMs);
        if (!toTheEnd) {
            counts.watermarkReached(watermarkMs);
        }
        nextWalkEnd();
    }

    /** Chooses the earliest window end that any shard has something to say at. */
    private void nextWalkEnd() throws Exception {
        walkEnd = walkLimit;
        for (int shard = firstShard(); shard <= lastShard(); shard++) {
            selectShard(shard);
            KeptPanes panes = kept.value();
            if (panes != null) {
                walkEnd = Math.min(walkEnd, panes.nextEnd(walkLimit));
            }
        }
        walkShard = firstShard();
    }

    @Override
    boolean step() throws Exception {
        if (walkEnd == Long.MAX_VALUE || walkEnd <= doneEnd) {
            return false;
        }
        if (walkShard > lastShard()) {
            doneEnd = walkEnd;
            if (walkEnd >= walkLimit) {
                return false;
            }
            nextWalkEnd();
            return true;
        }
        selectShard(walkShard);
        KeptPanes panes = kept.value();
        if (!stepShard(panes)) {
            // After a restore the walk may begin at ends that a shard has left behind: its progress never steps back.
            if (panes == null || panes.firedEnd() == walkEnd) {
                progress();
            }
            walkShard++;
        }
        return true;
    }

    /** Assembles one lot; false when the shard has none left at this window end. */
    private boolean stepShard(@Nullable KeptPanes panes) {
        if (panes == null || panes.firedEnd() >= walkEnd) {
            return false;
        }
        if (panes.lots() == 0) {
            panes.endDone(walkEnd, walkEnd - windowPanes);
            return false;
        }
        panes.begin(walkEnd);
        if (panes.nextLot() < panes.lots()) {
            assemble(panes, panes.nextLot());
            panes.lotDone();
            return true;
        }
        panes.endDone(walkEnd, walkEnd - windowPanes);
        return false;
    }

    private void assemble(KeptPanes panes, int lot) {
        Arrays.fill(perPane, PlaceCounts.NONE);
        for (KeptPanes.Slice slice : panes.slices(lot)) {
            long back = walkEnd - slice.pane();
            if (back >= 1 && back <= windowPanes + 1) {
                perPane[(int) back] = slice.counts();
            }
        }
        TileGroup tileGroup = panes.tileGroup(lot);
        TileRows rows = features.assemble(tileGroup.tile(), panesBack -> perPane[panesBack]);
        if (rows.rows() > 0 && walkEnd >= firstEnd) {
            emit(tileGroup, rows);
        }
    }

    /** A whole tile of packed rows may exceed what Kafka takes as one record. */
    private void emit(TileGroup tileGroup, TileRows rows) {
        List<Object> group = groups.decode(tileGroup.group());
        for (int from = 0; from < rows.rows(); from += BLOCK_ROWS) {
            int to = Math.min(from + BLOCK_ROWS, rows.rows());
            output.collect(new StreamRecord<>(new Emission.Rows(block(tileGroup.tile(), group, rows, from, to))));
        }
        counts.rows(rows.rows());
    }

    private RowBlock block(long tile, List<Object> group, TileRows rows, int from, int to) {
        long endMs = clock.endMs(walkEnd);
        long[] cells = rows.cells(from, to);
        int[] sizes = diskSizes(rows, from, to);
        if (packs) {
            PackedRows.RowSums sums = (row, into) -> rows.copySums(from + row, into, 0);
            return codec.block(walkShard, tile, group, endMs, Finality.FINAL, cells, sums, sizes);
        }
        long[] sums = rows.sums(from, to);
        return new RowBlock(view.qualifiedName(), walkShard, tile, group, endMs, Finality.FINAL, cells, sums, sizes);
    }

    private int @Nullable [] diskSizes(TileRows rows, int from, int to) {
        int[] sizes = rows.diskSizes();
        int rings = view.rings().size();
        return sizes == null ? null : Arrays.copyOfRange(sizes, from * rings, to * rings);
    }

    private void progress() {
        if (walkEnd >= firstEnd) {
            output.collect(new StreamRecord<>(new Emission.Done(
                    new Progress(view.qualifiedName(), walkShard, Shards.COUNT, clock.endMs(walkEnd)))));
        }
    }
}
