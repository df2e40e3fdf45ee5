package io.thalweg.jobs.compute;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.jobs.block.BlockSerializer;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Serializes the state of a keyed view; copies by sharing segments. The data of each key depends on the spec, which a snapshot contains.
 */
public final class KeyedPanesSerializer extends BlockSerializer<KeyedPanes> {
    private static final int VERSION = 1;

    private final KeyedSpec spec;

    KeyedPanesSerializer(KeyedSpec spec) {
        this.spec = spec;
    }

    @Override
    public KeyedPanes copy(KeyedPanes from) {
        return from.copy();
    }

    @Override
    protected void write(KeyedPanes panes, DataOutputView out) throws IOException {
        out.writeByte(VERSION);
        panes.write(out);
    }

    @Override
    protected KeyedPanes read(DataInputView in) throws IOException {
        StateVersionException.check("keys", in.readByte(), VERSION);
        return KeyedPanes.read(in, spec);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyedPanesSerializer that && spec.equals(that.spec);
    }

    @Override
    public int hashCode() {
        return spec.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<KeyedPanes> snapshotConfiguration() {
        return new Snapshot(spec);
    }

    /** Names the serializer and its spec in a snapshot. */
    public static final class Snapshot implements TypeSerializerSnapshot<KeyedPanes> {
        private @Nullable KeyedSpec spec;

        /** Creates an empty snapshot for Flink to read into. */
        public Snapshot() {}

        Snapshot(KeyedSpec spec) {
            this.spec = spec;
        }

        private KeyedSpec spec() {
            KeyedSpec known = spec;
            if (known == null) {
                throw new IllegalStateException("a snapshot that was not read has no spec");
            }
            return known;
        }

        @Override
        public int getCurrentVersion() {
            return VERSION;
        }

        @Override
        public void writeSnapshot(DataOutputView out) throws IOException {
            KeyedSpec written = spec();
            out.writeUTF(written.keys().name());
            out.writeInt(written.measures().size());
            for (KeyedMeasure measure : written.measures()) {
                out.writeUTF(measure.kind().name());
                out.writeUTF(measure.input().name());
                out.writeInt(measure.filter());
                out.writeInt(measure.column());
                out.writeLong(measure.perMs());
            }
            out.writeInt(written.filters());
            out.writeInt(written.windowPanes().size());
            for (int panes : written.windowPanes()) {
                out.writeInt(panes);
            }
            out.writeLong(written.everyMs());
            out.writeBoolean(written.early());
        }

        @Override
        public void readSnapshot(int version, DataInputView in, ClassLoader classes) throws IOException {
            StateVersionException.check("keys", version, VERSION);
            KeyForm keys = KeyForm.valueOf(in.readUTF());
            List<KeyedMeasure> measures = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                measures.add(new KeyedMeasure(
                        KeyedMeasure.Kind.valueOf(in.readUTF()),
                        KeyedMeasure.Input.valueOf(in.readUTF()),
                        in.readInt(),
                        in.readInt(),
                        in.readLong()));
            }
            int filters = in.readInt();
            List<Integer> windowPanes = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                windowPanes.add(in.readInt());
            }
            spec = new KeyedSpec(keys, measures, filters, windowPanes, in.readLong(), in.readBoolean());
        }

        @Override
        public TypeSerializer<KeyedPanes> restoreSerializer() {
            return new KeyedPanesSerializer(spec());
        }

        /** Accepts any spec, because a value is valid whatever its spec; the caller checks the spec or drops the value. */
        @Override
        public TypeSerializerSchemaCompatibility<KeyedPanes> resolveSchemaCompatibility(
                TypeSerializerSnapshot<KeyedPanes> before) {
            return TypeSerializerSchemaCompatibility.compatibleAsIs();
        }
    }
}
