package io.thalweg.jobs.kafka.partition;

import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Serializes splits in checkpoints. */
public final class KafkaSplitSerializer implements SimpleVersionedSerializer<KafkaSplit> {
    @Override
    public int getVersion() {
        return KafkaSplit.VERSION;
    }

    @Override
    public byte[] serialize(KafkaSplit split) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        split.write(out);
        return out.getCopyOfBuffer();
    }

    @Override
    public KafkaSplit deserialize(int version, byte[] serialized) throws IOException {
        return KafkaSplit.read(version, new DataInputDeserializer(serialized));
    }
}
