package io.thalweg.jobs.compute;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.jobs.block.BlockSerializer;
import io.thalweg.kernel.pane.KeptPanes;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes the state of assembly; copies by sharing entries and slices. */
public final class KeptPanesSerializer extends BlockSerializer<KeptPanes> {
    private static final int VERSION = 2;

    @Override
    public KeptPanes copy(KeptPanes from) {
        return from.copy();
    }

    @Override
    protected void write(KeptPanes panes, DataOutputView out) throws IOException {
        out.writeByte(VERSION);
        panes.write(out);
    }

    @Override
    protected KeptPanes read(DataInputView in) throws IOException {
        StateVersionException.check("kept panes", in.readByte(), VERSION);
        return KeptPanes.read(in);
    }

    @Override
    public TypeSerializerSnapshot<KeptPanes> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Names the serializer in a snapshot. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<KeptPanes> {
        public Snapshot() {
            super(KeptPanesSerializer::new);
        }
    }
}
