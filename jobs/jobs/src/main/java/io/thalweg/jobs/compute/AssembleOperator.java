package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.SliceBlock;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.PaneReader;
import io.thalweg.kernel.hex.TileFeatures;
import io.thalweg.kernel.hex.TileRows;
import io.thalweg.kernel.pane.KeptPanes;
import io.thalweg.kernel.pane.PaneSlice;
import io.thalweg.kernel.pane.PositionCounts;
import io.thalweg.kernel.pane.TileGroup;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.PackedTile;
import io.thalweg.model.view.FeatureView;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the slices of the last panes and assembles feature rows from them, one tile and group after the other, at every window end that
 * the watermark reaches.
 *
 * <p><b>State.</b> {@link KeptPanes} per shard, including the cursor of a window end in progress.
 */
final class AssembleOperator extends WindowOperator<SliceBlock, KeptPanes> {
    private static final int BLOCK_ROWS = 4096;

    private final boolean packs;

    private transient HexTiling tiling;
    private transient TileFeatures features;
    private transient GroupCodec groups;
    /** Packs rows; null if rows are emitted as numbers. */
    private transient @Nullable PackedTile packed;

    /** The counts to assemble, by the number of panes back. */
    private transient PositionCounts[] perPane;

    /**
     * Creates the operator of a view.
     *
     * @param packs whether rows are packed into their output bits instead of emitted as numbers
     */
    AssembleOperator(FeatureView view, long coveredFromMs, boolean packs, String jobId) {
        super(view, coveredFromMs, jobId);
        this.packs = packs;
    }

    @Override
    ValueStateDescriptor<KeptPanes> state() {
        return new ValueStateDescriptor<>("kept", new KeptPanesSerializer());
    }

    @Override
    public void open() throws Exception {
        super.open();
        tiling = HexTiling.of(view.cell().resolution());
        int[] rings = view.rings().stream().mapToInt(Integer::intValue).toArray();
        features = new TileFeatures(tiling, rings, view.windows().panes());
        groups = new GroupCodec(view.group());
        packed = packs ? new PackedTile(view) : null;
        perPane = new PositionCounts[windowPanes + 2];
        if (guard.shrunk()) {
            shrinkKept(guard.keptLargestRing());
        }
    }

    /** Drops the cells of neighbours that are farther from a tile than its disks reach now. */
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
        int[] positions = new int[slice.slots().length];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = features.position(slice.to().tile(), tiling.cell(slice.from(), slice.slots()[i]));
            if (positions[i] < 0) {
                throw new IllegalStateException("a cell of tile " + Long.toHexString(slice.from())
                        + " was sent to tile " + Long.toHexString(slice.to().tile()) + ", which does not need it");
            }
        }
        return new KeptPanes.Slice(slice.pane(), PositionCounts.ofUnordered(positions, slice.counts()));
    }

    @Override
    long nextEnd(KeptPanes panes, long limit) {
        return panes.nextEnd(limit);
    }

    @Override
    long firedEnd(KeptPanes panes) {
        return panes.firedEnd();
    }

    /** Assembles one lot. */
    @Override
    boolean fire(KeptPanes panes) {
        if (panes.firedEnd() >= walkEnd) {
            return false;
        }
        if (panes.entries() == 0) {
            panes.endDone(walkEnd, walkEnd - windowPanes);
            return false;
        }
        panes.begin(walkEnd);
        if (panes.nextEntry() < panes.entries()) {
            if (walkEnd >= firstEnd) {
                assemble(panes, panes.nextEntry());
            }
            panes.lotDone();
            return true;
        }
        panes.endDone(walkEnd, walkEnd - windowPanes);
        return false;
    }

    private void assemble(KeptPanes panes, int lot) {
        Arrays.fill(perPane, PositionCounts.NONE);
        for (KeptPanes.Slice slice : panes.slices(lot)) {
            long back = walkEnd - slice.pane();
            if (back >= 1 && back <= windowPanes + 1) {
                perPane[(int) back] = slice.counts();
            }
        }
        emit(panes.tileGroup(lot));
    }

    private void emit(TileGroup tileGroup) {
        PaneReader reader = panesBack -> perPane[panesBack];
        PackedTile tile = packed;
        if (tile != null) {
            features.assemble(tileGroup.tile(), reader, tile);
            emit(tileGroup, tile.rows(), (group, endMs, from, to) -> tile.block(head(endMs), group, from, to));
        } else {
            TileRows rows = features.assemble(tileGroup.tile(), reader);
            emit(
                    tileGroup,
                    rows.rows(),
                    (group, endMs, from, to) -> new HexRowBlock(
                            head(endMs),
                            tileGroup.tile(),
                            group,
                            rows.cells(from, to),
                            rows.sums(from, to),
                            rows.diskSizes(from, to)));
        }
    }

    private BlockHead head(long endMs) {
        return BlockHead.ofFinal(view.qualifiedName(), walkShard, endMs);
    }

    /** Creates a block of some rows of a tile. */
    private interface Blocks {
        HexRowBlock block(List<Object> group, long endMs, int from, int to);
    }

    /** Emits the rows of a tile in blocks, because a whole tile of packed rows may exceed the size of a Kafka record. */
    private void emit(TileGroup tileGroup, int rows, Blocks blocks) {
        if (rows == 0) {
            return;
        }
        List<Object> group = groups.decode(tileGroup.group());
        for (int from = 0; from < rows; from += BLOCK_ROWS) {
            int to = Math.min(from + BLOCK_ROWS, rows);
            HexRowBlock block = blocks.block(group, clock.endMs(walkEnd), from, to);
            emit(new OutputItem.Rows(block));
        }
        counts.rows(rows);
    }
}
