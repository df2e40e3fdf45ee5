package io.thalweg.jobs.kafka.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.kafka.fetch.LogPosition;
import java.io.IOException;
import java.util.List;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class KafkaSplitTest {
    private final KafkaSplitSerializer serializer = new KafkaSplitSerializer();
    private final KafkaSplit split =
            new KafkaSplit("rider-events", 3, new LogPosition(1_000, 7, Uuid.randomUuid()), 60_000, 59_000);

    @Test
    void deserialize_whatWasSerialized_isTheSame() throws IOException {
        assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(split)))
                .isEqualTo(split);

        KafkaAssignment assignment = new KafkaAssignment(List.of(split, split), List.of(split));
        KafkaAssignment.Serializer assignments = new KafkaAssignment.Serializer();
        assertThat(assignments.deserialize(assignments.getVersion(), assignments.serialize(assignment)))
                .isEqualTo(assignment);
    }

    @Test
    void deserialize_versionOne_knowsNothingOfTheLog() throws IOException {
        DataOutputSerializer old = new DataOutputSerializer(64);
        old.writeUTF("rider-events");
        old.writeInt(3);
        old.writeLong(1_000);
        old.writeLong(60_000);
        old.writeLong(59_000);
        assertThat(serializer.deserialize(1, old.getCopyOfBuffer()))
                .isEqualTo(new KafkaSplit("rider-events", 3, LogPosition.unread(1_000), 60_000, 59_000));
    }

    @Test
    void deserialize_versionOfTheFuture_isRefused() {
        assertThatThrownBy(() -> serializer.deserialize(3, new byte[100]))
                .isInstanceOf(IOException.class)
                .hasMessage("the state of Kafka partitions has version 3, this Thalweg reads versions 1 to 2;"
                        + " start with the Thalweg that wrote it, or with --resume none");
    }
}
