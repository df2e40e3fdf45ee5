package io.thalweg.jobs.stream;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.warehouse.StreamCommit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes four counts, then the number of ends, then the stream and the last row of each. */
final class StreamStateSerializer implements SimpleVersionedSerializer<StreamState> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(StreamState state) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(state.counts().written());
        out.writeLong(state.counts().refused());
        out.writeLong(state.counts().bytes());
        out.writeLong(state.counts().retries());
        out.writeInt(state.ends().size());
        for (StreamCommit end : state.ends()) {
            out.writeUTF(end.stream());
            out.writeLong(end.lastRow());
        }
        return bytes.toByteArray();
    }

    @Override
    public StreamState deserialize(int version, byte[] bytes) throws IOException {
        StateVersionException.check("streams", version, VERSION);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        StreamTotals counts = new StreamTotals(in.readLong(), in.readLong(), in.readLong(), in.readLong());
        int size = in.readInt();
        List<StreamCommit> ends = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            ends.add(new StreamCommit(in.readUTF(), in.readLong()));
        }
        return new StreamState(counts, List.copyOf(ends));
    }
}
