package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.Figures;
import org.junit.jupiter.api.Test;

class AdLatencyTest {
    @Test
    void putTo_severalRowsOfAWindow_theLastOneCounts() {
        AdLatency latency = new AdLatency();
        latency.passed(10_000);
        latency.passed(20_000);
        long now = System.nanoTime();
        latency.readable(10_000, now + 1_000_000_000L);
        latency.readable(10_000, now + 3_000_000_000L);
        latency.readable(20_000, now + 1_000_000_000L);
        latency.readable(30_000, now); // of a window that has not passed
        Figures figures = new Figures();
        latency.putTo(figures);
        assertThat(figures.get("windows_readable")).isEqualTo(2L);
        assertThat(figures.get("window_readable_p50_ms").doubleValue()).isBetween(1_000.0, 1_010.0);
        assertThat(figures.get("window_readable_max_ms").doubleValue()).isBetween(3_000.0, 3_010.0);
    }
}
