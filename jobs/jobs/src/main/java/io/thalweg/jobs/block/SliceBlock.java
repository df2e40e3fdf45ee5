package io.thalweg.jobs.block;

import io.thalweg.kernel.pane.PaneSlice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Slices of a closed pane that one shard sends to the tiles of another shard (or its own). */
public record SliceBlock(int shard, List<PaneSlice> slices) {
    public static final BlockType<SliceBlock> TYPE = new BlockType<>(SliceBlock.class, new Serializer());

    /** The key for {@code keyBy}. */
    public int recordKey() {
        return Shards.recordKey(shard);
    }

    /** Writes slice by slice. */
    public static final class Serializer extends BlockSerializer<SliceBlock> {
        @Override
        protected void write(SliceBlock block, DataOutputView out) throws IOException {
            out.writeInt(block.shard);
            out.writeInt(block.slices.size());
            for (PaneSlice slice : block.slices) {
                slice.write(out);
            }
        }

        @Override
        protected SliceBlock read(DataInputView in) throws IOException {
            int shard = in.readInt();
            int slices = in.readInt();
            List<PaneSlice> list = new ArrayList<>(slices);
            for (int i = 0; i < slices; i++) {
                list.add(PaneSlice.read(in));
            }
            return new SliceBlock(shard, list);
        }

        @Override
        public TypeSerializerSnapshot<SliceBlock> snapshotConfiguration() {
            return new Snapshot();
        }

        /** Names the serializer in a snapshot. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<SliceBlock> {
            public Snapshot() {
                super(Serializer::new);
            }
        }
    }
}
