package io.thalweg.jobs.kafka;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * What the enumerator keeps: the partitions that readers have, and those that no reader has got yet.
 *
 * @param assigned handed to a reader, whose state has their positions from then on
 * @param pending found, with the offset to begin at, but not handed out
 */
public record KafkaAssignment(List<KafkaSplit> assigned, List<KafkaSplit> pending) {
    public KafkaAssignment {
        assigned = List.copyOf(assigned);
        pending = List.copyOf(pending);
    }

    /** Assignments in checkpoints, version 1. */
    static final class Serializer implements SimpleVersionedSerializer<KafkaAssignment> {
        private static final int VERSION = 1;

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(KafkaAssignment assignment) throws IOException {
            DataOutputSerializer out = new DataOutputSerializer(256);
            write(out, assignment.assigned);
            write(out, assignment.pending);
            return out.getCopyOfBuffer();
        }

        @Override
        public KafkaAssignment deserialize(int version, byte[] serialized) throws IOException {
            if (version != VERSION) {
                throw new IOException("a Kafka assignment must have version " + VERSION + ", was " + version);
            }
            DataInputDeserializer in = new DataInputDeserializer(serialized);
            return new KafkaAssignment(read(in), read(in));
        }

        private static void write(DataOutputSerializer out, List<KafkaSplit> splits) throws IOException {
            out.writeInt(splits.size());
            for (KafkaSplit split : splits) {
                split.write(out);
            }
        }

        private static List<KafkaSplit> read(DataInputDeserializer in) throws IOException {
            List<KafkaSplit> splits = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                splits.add(KafkaSplit.read(in));
            }
            return splits;
        }
    }
}
