package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyNeedsTest {
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
