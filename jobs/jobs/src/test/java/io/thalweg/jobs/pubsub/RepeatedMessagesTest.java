package io.thalweg.jobs.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.ingest.RecordInput;
import io.thalweg.warehouse.PulledMessages.Message;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.StreamFlatMap;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // harnesses: close() throws Exception
class RepeatedMessagesTest {
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private final String job = UUID.randomUUID().toString();

    private KeyedOneInputStreamOperatorTestHarness<String, PulledRecords, RawRecords> open(
            @Nullable OperatorSubtaskState state) throws Exception {
        KeyedOneInputStreamOperatorTestHarness<String, PulledRecords, RawRecords> harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new StreamFlatMap<>(new RepeatedMessages.FirstOnly(WINDOW, job, "rides")),
                        message -> message.id(0),
                        Types.STRING);
        harness.setup(RecordInput.TYPE.createSerializer(new SerializerConfigImpl()));
        if (state != null) {
            harness.initializeState(state);
        }
        harness.open();
        return harness;
    }

    private static PulledRecords message(String id) {
        return new PulledRecords("rides", List.of(new Message(id, new byte[] {1, 2, 3}, 5)));
    }

    @Test
    void dropFrom_sameIdWithinTheWindow_isDroppedAndCounted() throws Exception {
        try (var harness = open(null)) {
            harness.processElement(message("a"), 0);
            harness.processElement(message("b"), 0);
            harness.processElement(message("a"), 0);

            assertThat(harness.extractOutputValues())
                    .extracting(records -> records.id(0))
                    .containsExactly("a", "b");
            assertThat(PullAccount.of(job).repeated()).isEqualTo(1);
        }
    }

    @Test
    void dropFrom_sameIdAfterTheWindow_isKept() throws Exception {
        try (var harness = open(null)) {
            harness.setStateTtlProcessingTime(0);
            harness.processElement(message("a"), 0);
            harness.setStateTtlProcessingTime(WINDOW.toMillis() - 1);
            harness.processElement(message("a"), 0);
            assertThat(harness.extractOutputValues()).hasSize(1);

            harness.setStateTtlProcessingTime(WINDOW.toMillis() + 1);
            harness.processElement(message("a"), 0);

            assertThat(harness.extractOutputValues())
                    .as("repeats do not prolong the window")
                    .hasSize(2);
        }
    }

    @Test
    void dropFrom_restored_remembersWhatTheCheckpointCovers() throws Exception {
        OperatorSubtaskState state;
        try (var harness = open(null)) {
            harness.processElement(message("a"), 0);
            state = harness.snapshot(1, 0);
            harness.processElement(message("b"), 0);
        }
        try (var harness = open(state)) {
            harness.processElement(message("a"), 0);
            harness.processElement(message("b"), 0);

            assertThat(harness.extractOutputValues())
                    .extracting(records -> records.id(0))
                    .containsExactly("b");
        }
    }

    @Test
    void serializer_messages_survive() throws Exception {
        RepeatedMessages.OneSerializer serializer = new RepeatedMessages.OneSerializer();
        for (byte[] data : List.of(new byte[0], new byte[] {1}, new byte[100_000])) {
            DataOutputSerializer out = new DataOutputSerializer(16);
            serializer.serialize(new PulledRecords("rides", List.of(new Message("17", data, 1_700_000_000_000L))), out);

            PulledRecords read = serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));

            assertThat(read.source()).isEqualTo("rides");
            assertThat(read.messages().get(0).id()).isEqualTo("17");
            assertThat(read.messages().get(0).publishedMs()).isEqualTo(1_700_000_000_000L);
            assertThat(read.data(0)).isEqualTo(data);
        }
    }
}
