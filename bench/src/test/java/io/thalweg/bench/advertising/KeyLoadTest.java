package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.advertising.KeysRun.KeyNeeds;
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

    @Test
    void most_ofTheMemoryThatKeysNeed_isThem() {
        for (long millions : new long[] {1, 10, 300, 1_000}) {
            long bytes = new KeyNeeds(millions * 1_000_000).memoryBytes();
            assertThat(KeyNeeds.most(bytes)).isEqualTo(millions * 1_000_000);
            assertThat(KeyNeeds.most(bytes - 1)).isEqualTo((millions - 1) * 1_000_000);
        }
    }

    @Test
    void memory_of300Million_fitsAMachineOf24GiB() {
        assertThat(new KeyNeeds(300_000_000).memoryBytes()).isLessThan(20L << 30);
    }
}
