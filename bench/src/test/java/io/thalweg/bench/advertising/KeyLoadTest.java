package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyLoadTest {
    @Test
    void digest_ofWhatReadersDrew_isThatOfTheirCounts() {
        KeyLoad load = new KeyLoad(1_000);
        int readers = 3;
        long[] drawn = {1_700, 1_701, 1_650};
        Map<Integer, Long> counts = new HashMap<>();
        for (int reader = 0; reader < readers; reader++) {
            load.countDrawn(reader, (int) drawn[reader]);
            for (long i = 0; i < drawn[reader]; i++) {
                counts.merge(load.key(reader + i * readers), 1L, Long::sum);
            }
        }
        long digest = 0;
        for (Map.Entry<Integer, Long> count : counts.entrySet()) {
            digest += count.getValue() * KeyLoad.weight(count.getKey());
        }
        assertThat(counts).hasSize(1_000);
        assertThat(KeyLoad.drawn()).isEqualTo(5_051);
        assertThat(load.digest(readers)).isEqualTo(digest);
    }

    @Test
    void key_firstEvents_areAllKeysInOrder() {
        KeyLoad load = new KeyLoad(500);
        for (int event = 0; event < 500; event++) {
            assertThat(load.key(event)).isEqualTo(event);
        }
        for (long event = 500; event < 5_000; event++) {
            assertThat(load.key(event)).isBetween(0, 499);
        }
    }
}
