package io.thalweg.jobs.block;

import io.thalweg.kernel.pane.TileGroup;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Accepted events of one shard of a view with rings, as columns.
 *
 * @param tileGroups the tiles and groups of the events; event {@code e} belongs to {@code tileGroups[lot[e]]}
 * @param panes the pane of each event
 * @param slots index of the event's cell in its tile
 * @param idHi upper half of the identities, null for views that count events
 * @param idLo lower half of the identities
 */
public record ShardBlock(
        int shard,
        TileGroup[] tileGroups,
        int[] lot,
        long[] panes,
        int[] slots,
        long @Nullable [] idHi,
        long @Nullable [] idLo)
        implements RoutedBlock {

    public static final BlockType<ShardBlock> TYPE = new BlockType<>(ShardBlock.class, new Serializer());

    @Override
    public int entries() {
        return lot.length;
    }

    /** Writes column by column. */
    public static final class Serializer extends BlockSerializer<ShardBlock> {
        @Override
        protected void write(ShardBlock block, DataOutputView out) throws IOException {
            out.writeInt(block.shard);
            out.writeInt(block.tileGroups.length);
            for (TileGroup lot : block.tileGroups) {
                lot.write(out);
            }
            int events = block.entries();
            out.writeInt(events);
            long firstPane = events == 0 ? 0 : block.panes[0];
            out.writeLong(firstPane);
            for (int e = 0; e < events; e++) {
                out.writeInt(block.lot[e]);
                out.writeInt(Math.toIntExact(block.panes[e] - firstPane));
                out.writeInt(block.slots[e]);
            }
            out.writeBoolean(block.idHi != null);
            if (block.idHi != null && block.idLo != null) {
                for (int e = 0; e < events; e++) {
                    out.writeLong(block.idHi[e]);
                    out.writeLong(block.idLo[e]);
                }
            }
        }

        @Override
        protected ShardBlock read(DataInputView in) throws IOException {
            int shard = in.readInt();
            TileGroup[] tileGroups = new TileGroup[in.readInt()];
            for (int i = 0; i < tileGroups.length; i++) {
                tileGroups[i] = TileGroup.read(in);
            }
            int events = in.readInt();
            long firstPane = in.readLong();
            int[] lot = new int[events];
            long[] panes = new long[events];
            int[] slots = new int[events];
            for (int e = 0; e < events; e++) {
                lot[e] = in.readInt();
                panes[e] = firstPane + in.readInt();
                slots[e] = in.readInt();
            }
            if (!in.readBoolean()) {
                return new ShardBlock(shard, tileGroups, lot, panes, slots, null, null);
            }
            long[] idHi = new long[events];
            long[] idLo = new long[events];
            for (int e = 0; e < events; e++) {
                idHi[e] = in.readLong();
                idLo[e] = in.readLong();
            }
            return new ShardBlock(shard, tileGroups, lot, panes, slots, idHi, idLo);
        }

        @Override
        public TypeSerializerSnapshot<ShardBlock> snapshotConfiguration() {
            return new Snapshot();
        }

        /** Names the serializer in a snapshot. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<ShardBlock> {
            public Snapshot() {
                super(Serializer::new);
            }
        }
    }
}
