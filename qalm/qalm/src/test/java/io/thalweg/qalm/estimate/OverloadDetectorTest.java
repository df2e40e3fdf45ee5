package io.thalweg.qalm.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Runs the detector for a second or more, with updates every 10 ms and a call dequeued every millisecond. */
class OverloadDetectorTest {
    private static final long MS = 1_000_000;
    private static final long T = 20 * MS;
    private static final long START = 1_000_000 * MS;

    private final DelayWindow delays = new DelayWindow();
    private final OverloadDetector detector = new OverloadDetector(delays, START);

    /** Continues the run with calls that waited {@code delayMs} at a time in ms. Returns when an overload was found, or -1. */
    private long run(long fromMs, long toMs, LongUnaryOperator delayMs) {
        return run(fromMs, toMs, delayMs, T);
    }

    private long run(long fromMs, long toMs, LongUnaryOperator delayMs, long onset) {
        for (long at = fromMs; at < toMs; at++) {
            long now = START + at * MS;
            long delay = delayMs.applyAsLong(at) * MS;
            delays.record(now, delay);
            if (at % 10 == 0) {
                detector.update(now, delay, onset, T);
            }
            if (detector.overloaded()) {
                return at;
            }
        }
        return -1;
    }

    @Test
    void look_callsWaitLongerThanT_isFoundInTwoWindows() {
        assertThat(run(0, 1_000, at -> 30)).isBetween(90L, 220L);
    }

    @Test
    void look_callsWaitLessThanT_isNone() {
        assertThat(run(0, 2_000, at -> 19)).isEqualTo(-1);
    }

    @Test
    void look_onsetLaterThanT_isFoundThereAndEndsBelowHalfOfT() {
        assertThat(run(0, 1_000, at -> 99, 100 * MS)).isEqualTo(-1);
        assertThat(run(1_000, 2_000, at -> 101, 100 * MS)).isBetween(1_090L, 1_220L);
        detector.update(START + 3_000 * MS, 11 * MS, 100 * MS, T);
        detector.update(START + 4_000 * MS, 11 * MS, 100 * MS, T);
        assertThat(detector.overloaded()).isTrue();
        detector.update(START + 5_000 * MS, 9 * MS, 100 * MS, T);
        detector.update(START + 6_000 * MS, 9 * MS, 100 * MS, T);
        assertThat(detector.overloaded()).isFalse();
    }

    @Test
    void look_backlogOfAPauseDrains_isNone() {
        run(0, 100, at -> 0);
        detector.paused(START + 300 * MS, 200 * MS);
        assertThat(run(300, 2_000, at -> Math.max(0, 200 - (at - 300) / 2))).isEqualTo(-1);
    }

    @Test
    void look_callsWaitLongerThanThePauseExplains_isFound() {
        run(0, 100, at -> 0);
        detector.paused(START + 200 * MS, 100 * MS);
        assertThat(run(200, 2_000, at -> 150)).isBetween(300L, 500L);
    }

    /** On a starved machine ticks are late repeatedly; delays beyond that are still an overload. */
    @Test
    void look_alwaysPaused_isFoundAllTheSame() {
        long found = -1;
        for (long at = 0; at < 5_000 && found < 0; at += 100) {
            found = run(at, at + 60, when -> when / 2);
            detector.paused(START + (at + 100) * MS, 40 * MS);
        }
        assertThat(found).isBetween(200L, 2_000L);
    }
}
