package io.thalweg.google.bigquery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StreamPaceTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long now = Long.MAX_VALUE - SECOND; // the clock may pass the end of its range

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void reserve_burst_isSpreadToThreeASecond(long seed) {
        StreamPace pace = new StreamPace(() -> now, new Random(seed));
        long begun = now;
        long last = 0;
        for (int stream = 0; stream < 20; stream++) {
            long at = now + pace.reserve() - begun;
            if (stream > 0) {
                assertThat(at - last).isBetween(SECOND / 3, SECOND / 2);
            }
            last = at;
            now += SECOND / 100;
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void reserve_afterAPause_isAtOnce(long seed) {
        StreamPace pace = new StreamPace(() -> now, new Random(seed));
        assertThat(pace.reserve()).isZero();
        assertThat(pace.reserve()).isPositive();
        now += 2 * SECOND;
        assertThat(pace.reserve()).isZero();
    }
}
