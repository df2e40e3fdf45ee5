package io.thalweg.jobs.block;

import io.thalweg.kernel.keyed.KeyedBlock;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Accepted events of one shard of a keyed view. */
public record KeyedShardBlock(int shard, KeyedBlock columns) implements RoutedBlock {
    public static final BlockType<KeyedShardBlock> TYPE = new BlockType<>(KeyedShardBlock.class, new Serializer());

    @Override
    public int entries() {
        return columns.entries();
    }

    /** Writes column by column. */
    public static final class Serializer extends BlockSerializer<KeyedShardBlock> {
        @Override
        protected void write(KeyedShardBlock block, DataOutputView out) throws IOException {
            out.writeInt(block.shard);
            block.columns.write(out);
        }

        @Override
        protected KeyedShardBlock read(DataInputView in) throws IOException {
            return new KeyedShardBlock(in.readInt(), KeyedBlock.read(in));
        }

        @Override
        public TypeSerializerSnapshot<KeyedShardBlock> snapshotConfiguration() {
            return new Snapshot();
        }

        /** Names the serializer in a snapshot. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<KeyedShardBlock> {
            public Snapshot() {
                super(Serializer::new);
            }
        }
    }
}
