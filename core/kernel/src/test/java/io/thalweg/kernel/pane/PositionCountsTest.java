package io.thalweg.kernel.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PositionCountsTest {
    /** Compared with a map, for positions with and without gaps, some of them duplicate. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void all_randomPositions_equalAMap(long seed) throws IOException {
        Random random = new Random(seed);
        Map<Integer, Long> twin = new TreeMap<>();
        PositionCounts counts = random(random, twin);
        assertThat(map(counts)).isEqualTo(twin);
        assertThat(counts.total())
                .isEqualTo(twin.values().stream().mapToLong(Long::longValue).sum());

        PositionCounts both = counts.plus(random(random, twin));
        assertThat(map(both)).isEqualTo(twin);
        for (int run = 1; run < both.runs(); run++) {
            assertThat(both.position(run)).isGreaterThanOrEqualTo(both.position(run - 1));
        }

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        both.write(new DataOutputStream(bytes), new VarInts());
        assertThat(PositionCounts.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))))
                .isEqualTo(both)
                .hasSameHashCodeAs(both);

        twin.keySet().removeIf(position -> position % 7 == 0);
        assertThat(map(both.at(position -> position % 7 != 0))).isEqualTo(twin);
        assertThat(map(both.moved(position -> position % 7 == 0 ? -1 : position ^ 1)
                        .moved(position -> position ^ 1)))
                .isEqualTo(twin);
    }

    private static PositionCounts random(Random random, Map<Integer, Long> twin) {
        int[] positions = new int[random.nextInt(3000)];
        int[] counts = new int[positions.length];
        int gaps = 1 + random.nextInt(4);
        int position = random.nextInt(4000);
        for (int n = 0; n < positions.length; n++) {
            position += random.nextInt(200) < gaps ? random.nextInt(20) : 1;
            positions[n] = position;
            counts[n] = random.nextInt(1 << random.nextInt(31));
            twin.merge(position, (long) counts[n], Long::sum);
        }
        return PositionCounts.of(positions, counts);
    }

    private static Map<Integer, Long> map(PositionCounts counts) {
        Map<Integer, Long> map = new TreeMap<>();
        int from = 0;
        for (int run = 0; run < counts.runs(); run++) {
            for (int n = 0; n < counts.length(run); n++) {
                map.merge(counts.position(run) + n, (long) counts.counts()[from++], Long::sum);
            }
        }
        return map;
    }

    @Test
    void plus_neighboursInARow_isOneRun() {
        PositionCounts even = PositionCounts.of(new int[] {5, 6, 9}, new int[] {1, 2, 3});
        PositionCounts odd = PositionCounts.of(new int[] {7, 8}, new int[] {4, 5});
        assertThat(even.plus(odd)).hasToString("PositionCounts[5: [1, 2, 4, 5, 3]]");
        assertThat(even).hasToString("PositionCounts[5: [1, 2], 9: [3]]");
        assertThat(PositionCounts.NONE.plus(PositionCounts.NONE)).hasToString("PositionCounts[]");
    }

    @Test
    void of_outOfRangeOrOrder_namesTheEntry() {
        assertThatThrownBy(() -> PositionCounts.of(new int[] {1, 2}, new int[] {1, -1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("counts[1] must be at least 0, was -1");
        assertThatThrownBy(() -> PositionCounts.of(new int[] {2, 1}, new int[] {1, 1}))
                .hasMessage("positions[1] must ascend from 0 to 1048575, was 1");
        assertThatThrownBy(() -> PositionCounts.of(new int[] {1 << 20}, new int[] {1}))
                .hasMessage("positions[0] must ascend from 0 to 1048575, was 1048576");
    }
}
