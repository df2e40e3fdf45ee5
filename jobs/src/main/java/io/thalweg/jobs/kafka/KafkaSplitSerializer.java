package io.thalweg.jobs.kafka;

import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Splits in checkpoints, version 1. */
final class KafkaSplitSerializer implements SimpleVersionedSerializer<KafkaSplit> {
    static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(KafkaSplit split) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        split.write(out);
        return out.getCopyOfBuffer();
    }

    @Override
    public KafkaSplit deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException("a Kafka split must have version " + VERSION + ", was " + version);
        }
        return KafkaSplit.read(new DataInputDeserializer(serialized));
    }
}
