package io.thalweg.jobs.kafka.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Uses readers 0 and 1 with three partitions in total; in silence the watermark follows 40 ms behind the clock. */
class IdleClockTest {
    private static final long NONE = ReaderClock.NONE;

    private final IdleClock clock = new IdleClock(40);

    private long watermarkMs() {
        return clock.watermarkMs(2, 3);
    }

    @Test
    void watermark_withAReaderThatHasNotSpoken_isUnknown() {
        clock.heard(0, new ReaderClock(3, 100, NONE));

        assertThat(watermarkMs()).isEqualTo(IdleClock.UNKNOWN);
    }

    @Test
    void watermark_withAPartitionOnItsWayToAReader_isUnknown() {
        clock.heard(0, new ReaderClock(2, 100, NONE));
        clock.heard(1, new ReaderClock(0, NONE, NONE));

        assertThat(watermarkMs()).isEqualTo(IdleClock.UNKNOWN);
    }

    @Test
    void watermark_withSomeActive_isTheSmallestOfThoseWhateverTheClock() {
        clock.heard(0, new ReaderClock(2, 100, 9_000));
        clock.heard(1, new ReaderClock(1, NONE, 9_000));

        assertThat(watermarkMs()).isEqualTo(100);
    }

    @Test
    void watermark_withAPartitionThatHasNotBegun_isUnknown() {
        clock.heard(0, new ReaderClock(2, Long.MIN_VALUE, NONE));
        clock.heard(1, new ReaderClock(1, NONE, 9_000));

        assertThat(watermarkMs()).isEqualTo(IdleClock.UNKNOWN);
    }

    @Test
    void watermark_withAllIdle_followsTheClockOfTheOneAskedLongestAgo() {
        clock.heard(0, new ReaderClock(3, NONE, 9_000));
        clock.heard(1, new ReaderClock(0, NONE, NONE));
        assertThat(watermarkMs()).isEqualTo(8_960);

        clock.heard(0, new ReaderClock(2, NONE, 9_000));
        clock.heard(1, new ReaderClock(1, NONE, 8_500));
        assertThat(watermarkMs()).isEqualTo(8_460);
    }

    @Test
    void watermark_afterAReaderBeginsAnew_isUnknownUntilItSpeaks() {
        clock.heard(0, new ReaderClock(2, 100, NONE));
        clock.heard(1, new ReaderClock(1, 200, NONE));
        clock.forget(1);
        assertThat(watermarkMs()).isEqualTo(IdleClock.UNKNOWN);

        clock.heard(1, new ReaderClock(1, 90, NONE));
        assertThat(watermarkMs()).isEqualTo(90);
    }
}
