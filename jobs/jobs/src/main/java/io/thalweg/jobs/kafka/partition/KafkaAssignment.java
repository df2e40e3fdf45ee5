package io.thalweg.jobs.kafka.partition;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The enumerator's state: the assigned partitions, and those that no reader has received yet.
 *
 * @param assigned handed to a reader, whose state holds their positions from then on
 * @param pending discovered, with their start offset, but not assigned
 */
public record KafkaAssignment(List<KafkaSplit> assigned, List<KafkaSplit> pending) {
    public KafkaAssignment {
        assigned = List.copyOf(assigned);
        pending = List.copyOf(pending);
    }

    /** Serializes assignments in checkpoints, with the version of the splits. */
    public static final class Serializer implements SimpleVersionedSerializer<KafkaAssignment> {
        @Override
        public int getVersion() {
            return KafkaSplit.VERSION;
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
            DataInputDeserializer in = new DataInputDeserializer(serialized);
            return new KafkaAssignment(read(version, in), read(version, in));
        }

        private static void write(DataOutputSerializer out, List<KafkaSplit> splits) throws IOException {
            out.writeInt(splits.size());
            for (KafkaSplit split : splits) {
                split.write(out);
            }
        }

        private static List<KafkaSplit> read(int version, DataInputDeserializer in) throws IOException {
            List<KafkaSplit> splits = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                splits.add(KafkaSplit.read(version, in));
            }
            return splits;
        }
    }
}
