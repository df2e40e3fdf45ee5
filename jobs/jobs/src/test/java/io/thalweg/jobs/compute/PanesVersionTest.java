package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.StateVersionException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.junit.jupiter.api.Test;

/** State written by a later version is refused before any of it is read. */
class PanesVersionTest {
    private static void assertRefused(TypeSerializer<?> serializer, int later, String message) {
        assertThatThrownBy(() -> serializer.deserialize(new DataInputDeserializer(new byte[] {(byte) later})))
                .isInstanceOf(StateVersionException.class)
                .hasMessage(message + "; start with the Thalweg that wrote it, or with --resume none");
    }

    @Test
    void deserialize_panesOfALaterVersion_areRefusedWithTheRemedy() {
        assertRefused(
                new ShardPanesSerializer(), 3, "the state of open panes has version 3, this Thalweg reads version 2");
        assertRefused(
                new KeptPanesSerializer(), 3, "the state of kept panes has version 3, this Thalweg reads version 2");
    }

    @Test
    void readSnapshot_keysOfALaterVersion_areRefusedWithTheRemedy() {
        assertThatThrownBy(() -> new KeyedPanesSerializer.Snapshot()
                        .readSnapshot(
                                2,
                                new DataInputDeserializer(new byte[0]),
                                getClass().getClassLoader()))
                .isInstanceOf(StateVersionException.class)
                .hasMessageContaining("the state of keys has version 2, this Thalweg reads version 1");
    }
}
