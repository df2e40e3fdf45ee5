package io.thalweg.jobs.stream;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.warehouse.StreamCommit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes a commit as the stream's name, a number and, since version 2, whether it ends the stream. */
final class StreamCommitSerializer implements SimpleVersionedSerializer<StreamCommit> {
    private static final int VERSION = 2;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(StreamCommit commit) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(commit.stream());
            out.writeLong(commit.lastRow());
            out.writeBoolean(commit.endsStream());
        }
        return bytes.toByteArray();
    }

    @Override
    public StreamCommit deserialize(int version, byte[] bytes) throws IOException {
        StateVersionException.check("commits of streams", version, 1, VERSION);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return new StreamCommit(in.readUTF(), in.readLong(), version > 1 && in.readBoolean());
        }
    }
}
