package io.thalweg.jobs.load;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.tables.TableSplit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/** Serializes positions in checkpoints: those of a reader one by one, those that no reader has yet as a list. */
final class TablePositionSerializer implements SimpleVersionedSerializer<TablePosition> {
    private static final int VERSION = 1;

    /** Serializes the positions that no reader has yet. */
    static final SimpleVersionedSerializer<List<TablePosition>> LIST = new SimpleVersionedSerializer<>() {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(List<TablePosition> positions) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(positions.size());
            for (TablePosition position : positions) {
                write(position, out);
            }
            return bytes.toByteArray();
        }

        @Override
        public List<TablePosition> deserialize(int version, byte[] serialized) throws IOException {
            DataInputStream in = input(version, serialized);
            List<TablePosition> positions = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                positions.add(read(in));
            }
            return positions;
        }
    };

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(TablePosition position) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        write(position, new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    @Override
    public TablePosition deserialize(int version, byte[] serialized) throws IOException {
        return read(input(version, serialized));
    }

    private static DataInputStream input(int version, byte[] serialized) throws IOException {
        StateVersionException.check("positions in tables", version, VERSION);
        return new DataInputStream(new ByteArrayInputStream(serialized));
    }

    private static void write(TablePosition position, DataOutputStream out) throws IOException {
        TableSplit split = position.split();
        out.writeUTF(split.path());
        out.writeInt(split.partitions().size());
        for (String value : split.partitions()) {
            out.writeBoolean(value != null);
            if (value != null) {
                out.writeUTF(value);
            }
        }
        out.writeInt(split.rowGroup());
        out.writeLong(split.rows());
        out.writeLong(split.bytes());
        out.writeLong(position.row());
        out.writeLong(position.loadMs());
    }

    private static TablePosition read(DataInputStream in) throws IOException {
        String path = in.readUTF();
        List<@Nullable String> partitions = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            partitions.add(in.readBoolean() ? in.readUTF() : null);
        }
        TableSplit split = new TableSplit(
                path, Collections.unmodifiableList(partitions), in.readInt(), in.readLong(), in.readLong());
        return new TablePosition(split, in.readLong(), in.readLong());
    }
}
