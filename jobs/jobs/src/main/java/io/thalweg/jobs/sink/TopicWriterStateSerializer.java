package io.thalweg.jobs.sink;

import io.thalweg.jobs.StateVersionException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Writes the counts, then the state of Kafka's writer with its version, if there is one. Also reads states that Kafka's writer alone has
 * written, which have no counts.
 */
final class TopicWriterStateSerializer implements SimpleVersionedSerializer<TopicWriterState> {
    /** Larger than any version of Kafka's writer. */
    private static final int VERSION = 1_000;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(TopicWriterState state) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(state.counts().records());
        out.writeLong(state.counts().bytes());
        byte[] kafka = state.kafka();
        out.writeBoolean(kafka != null);
        if (kafka != null) {
            out.writeInt(state.kafkaVersion());
            out.write(kafka);
        }
        return bytes.toByteArray();
    }

    @Override
    public TopicWriterState deserialize(int version, byte[] bytes) throws IOException {
        if (version < VERSION) {
            return new TopicWriterState(version, bytes, TopicTotals.NONE);
        }
        StateVersionException.check("writers of topics", version, VERSION);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        TopicTotals counts = new TopicTotals(in.readLong(), in.readLong());
        return in.readBoolean()
                ? new TopicWriterState(in.readInt(), in.readAllBytes(), counts)
                : TopicWriterState.of(counts);
    }
}
