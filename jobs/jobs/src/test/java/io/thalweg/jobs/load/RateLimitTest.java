package io.thalweg.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateLimitTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void waitNanos_workAtOnce_isHeldToTheRate() {
        RateLimit pace = new RateLimit(1_000);
        long now = Long.MAX_VALUE - SECOND; // nanoTime may overflow
        assertThat(pace.waitNanos(now)).isZero();
        pace.did(100, now);
        assertThat(pace.waitNanos(now)).isEqualTo(SECOND / 10);
        now += SECOND / 10;
        assertThat(pace.waitNanos(now)).isZero();
        for (int i = 0; i < 20; i++) {
            pace.did(100, now);
            now += pace.waitNanos(now);
        }
        assertThat(now - (Long.MAX_VALUE - SECOND)).isEqualTo(SECOND / 10 + 2 * SECOND);
    }

    @Test
    void did_afterIdleTime_doesNotMakeUpForIt() {
        RateLimit pace = new RateLimit(10);
        pace.did(1, 0);
        pace.did(10, 100 * SECOND);
        assertThat(pace.waitNanos(100 * SECOND)).isEqualTo(SECOND);
    }

    @Test
    void atOnce_slowRates_leaveSeveralTurnsASecond() {
        assertThat(new RateLimit(1_000).atOnce(1_024)).isEqualTo(100);
        assertThat(new RateLimit(0.5).atOnce(1_024)).isEqualTo(1);
        assertThat(new RateLimit(Double.POSITIVE_INFINITY).atOnce(1_024)).isEqualTo(1_024);
        RateLimit unbounded = new RateLimit(Double.POSITIVE_INFINITY);
        unbounded.did(1_024, 0);
        assertThat(unbounded.waitNanos(0)).isZero();
    }
}
