package io.thalweg.jobs.compute;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.jobs.block.BlockSerializer;
import io.thalweg.kernel.pane.ShardPanes;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes the state of accumulation; copies by sharing segments. */
public final class ShardPanesSerializer extends BlockSerializer<ShardPanes> {
    private static final int VERSION = 2;

    @Override
    public ShardPanes copy(ShardPanes from) {
        return from.copy();
    }

    @Override
    protected void write(ShardPanes panes, DataOutputView out) throws IOException {
        out.writeByte(VERSION);
        panes.write(out);
    }

    @Override
    protected ShardPanes read(DataInputView in) throws IOException {
        StateVersionException.check("open panes", in.readByte(), VERSION);
        return ShardPanes.read(in);
    }

    @Override
    public TypeSerializerSnapshot<ShardPanes> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Names the serializer in a snapshot. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<ShardPanes> {
        public Snapshot() {
            super(ShardPanesSerializer::new);
        }
    }
}
