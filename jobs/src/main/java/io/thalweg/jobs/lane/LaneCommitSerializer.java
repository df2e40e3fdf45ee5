package io.thalweg.jobs.lane;

import io.thalweg.warehouse.LaneCommit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** A commit as the stream's name and a number. */
final class LaneCommitSerializer implements SimpleVersionedSerializer<LaneCommit> {
    private static final int VERSION = 1;

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
        }
        return bytes.toByteArray();
    }

    @Override
    public LaneCommit deserialize(int version, byte[] bytes) throws IOException {
        if (version != VERSION) {
            throw new IOException("commits of lanes have version %d; this is %d".formatted(version, VERSION));
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return new LaneCommit(in.readUTF(), in.readLong());
        }
    }
}
