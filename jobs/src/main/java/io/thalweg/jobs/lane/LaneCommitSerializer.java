package io.thalweg.jobs.lane;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.warehouse.LaneCommit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes a commit as the stream's name, a number and, since version 2, whether it ends the stream. */
final class LaneCommitSerializer implements SimpleVersionedSerializer<LaneCommit> {
    private static final int VERSION = 2;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(LaneCommit commit) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(commit.stream());
            out.writeLong(commit.lastRow());
            out.writeBoolean(commit.endsStream());
        }
        return bytes.toByteArray();
    }

    @Override
    public LaneCommit deserialize(int version, byte[] bytes) throws IOException {
        StateVersionException.check("commits of lanes", version, 1, VERSION);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return new LaneCommit(in.readUTF(), in.readLong(), version > 1 && in.readBoolean());
        }
    }
}
