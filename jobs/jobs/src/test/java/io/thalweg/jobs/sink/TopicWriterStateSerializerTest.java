package io.thalweg.jobs.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class TopicWriterStateSerializerTest {
    private final TopicWriterStateSerializer serializer = new TopicWriterStateSerializer();

    private TopicWriterState again(TopicWriterState state) throws IOException {
        return serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
    }

    @Test
    void deserialize_stateWithAndWithoutThatOfKafka_isTheSame() throws IOException {
        TopicTotals counts = new TopicTotals(7, 1L << 40);

        TopicWriterState with = again(new TopicWriterState(3, new byte[] {1, 2}, counts));
        TopicWriterState without = again(TopicWriterState.of(counts));

        assertThat(with.kafkaVersion()).isEqualTo(3);
        assertThat(with.kafka()).containsExactly(1, 2);
        assertThat(with.counts()).isEqualTo(counts);
        assertThat(without.kafka()).isNull();
        assertThat(without.counts()).isEqualTo(counts);
    }

    @Test
    void deserialize_stateOfKafkaAlone_hasNoCounts() throws IOException {
        TopicWriterState state = serializer.deserialize(2, new byte[] {1, 2});

        assertThat(state.kafkaVersion()).isEqualTo(2);
        assertThat(state.kafka()).containsExactly(1, 2);
        assertThat(state.counts()).isEqualTo(TopicTotals.NONE);
    }

    @Test
    void deserialize_laterVersion_isRefused() {
        assertThatThrownBy(() -> serializer.deserialize(1_001, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1001");
    }
}
