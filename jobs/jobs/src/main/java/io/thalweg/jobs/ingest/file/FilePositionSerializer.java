package io.thalweg.jobs.ingest.file;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.model.ingest.Ingest.Framing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes positions for checkpoints: those of readers one by one, unassigned ones as a list. */
final class FilePositionSerializer implements SimpleVersionedSerializer<FilePosition> {
    private static final int VERSION = 1;

    /** Serializes the unassigned positions. */
    static final SimpleVersionedSerializer<List<FilePosition>> LIST = new SimpleVersionedSerializer<>() {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(List<FilePosition> positions) throws IOException {
            return bytes(positions);
        }

        @Override
        public List<FilePosition> deserialize(int version, byte[] serialized) throws IOException {
            return positions(version, serialized);
        }
    };

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(FilePosition position) throws IOException {
        return bytes(List.of(position));
    }

    @Override
    public FilePosition deserialize(int version, byte[] serialized) throws IOException {
        return positions(version, serialized).get(0);
    }

    private static byte[] bytes(List<FilePosition> positions) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(positions.size());
        for (FilePosition position : positions) {
            out.writeUTF(position.path());
            out.writeUTF(position.framing().name());
            out.writeLong(position.bytes());
            out.writeLong(position.next());
        }
        return bytes.toByteArray();
    }

    private static List<FilePosition> positions(int version, byte[] serialized) throws IOException {
        StateVersionException.check("positions in files", version, VERSION);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
        List<FilePosition> positions = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            positions.add(new FilePosition(in.readUTF(), Framing.valueOf(in.readUTF()), in.readLong(), in.readLong()));
        }
        return positions;
    }
}
