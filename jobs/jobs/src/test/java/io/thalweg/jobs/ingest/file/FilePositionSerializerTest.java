package io.thalweg.jobs.ingest.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.ingest.Ingest.Framing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FilePositionSerializerTest {
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void deserialize_whatWasSerialized_isEqual(long seed) throws IOException {
        Random random = new Random(seed);
        List<FilePosition> positions = new ArrayList<>();
        for (int i = random.nextInt(10); i > 0; i--) {
            positions.add(new FilePosition(
                    "/data/teil-ä" + random.nextInt(),
                    List.of(Framing.values()).get(random.nextInt(Framing.values().length)),
                    random.nextLong(),
                    random.nextLong()));
        }
        FilePositionSerializer one = new FilePositionSerializer();

        for (FilePosition position : positions) {
            assertThat(one.deserialize(one.getVersion(), one.serialize(position)))
                    .isEqualTo(position);
        }
        assertThat(FilePositionSerializer.LIST.deserialize(1, FilePositionSerializer.LIST.serialize(positions)))
                .isEqualTo(positions);
    }

    @Test
    void deserialize_anotherVersion_isRefused() {
        assertThatThrownBy(() -> new FilePositionSerializer().deserialize(2, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has version 2, this Thalweg reads version 1");
    }
}
