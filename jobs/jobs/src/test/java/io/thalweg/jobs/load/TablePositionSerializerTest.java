package io.thalweg.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.tables.TableSplit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TablePositionSerializerTest {
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void deserialize_whatWasSerialized_isEqual(long seed) throws IOException {
        Random random = new Random(seed);
        List<TablePosition> positions = new ArrayList<>();
        for (int i = random.nextInt(10); i > 0; i--) {
            TableSplit split = new TableSplit(
                    "/lake/dt=2026-11-20/teil-ä" + random.nextInt() + ".parquet",
                    random.nextBoolean() ? List.of() : Arrays.asList("2026-11-20", null, ""),
                    random.nextInt(100),
                    random.nextLong(),
                    random.nextLong());
            positions.add(new TablePosition(split, random.nextLong(), random.nextLong()));
        }
        TablePositionSerializer one = new TablePositionSerializer();

        for (TablePosition position : positions) {
            assertThat(one.deserialize(one.getVersion(), one.serialize(position)))
                    .isEqualTo(position);
        }
        assertThat(TablePositionSerializer.LIST.deserialize(1, TablePositionSerializer.LIST.serialize(positions)))
                .isEqualTo(positions);
    }

    @Test
    void deserialize_anotherVersion_isRefused() {
        assertThatThrownBy(() -> new TablePositionSerializer().deserialize(2, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has version 2, this Thalweg reads version 1");
    }
}
