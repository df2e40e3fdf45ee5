package io.thalweg.kernel.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PaneClockTest {
    private static final PaneClock MINUTES = new PaneClock(60_000);

    @Test
    void pane_timesAroundTheEpoch_areHalfOpenOnBothSides() {
        assertThat(MINUTES.pane(-60_001)).isEqualTo(-2);
        assertThat(MINUTES.pane(-60_000)).isEqualTo(-1);
        assertThat(MINUTES.pane(-1)).isEqualTo(-1);
        assertThat(MINUTES.pane(0)).isZero();
        assertThat(MINUTES.pane(59_999)).isZero();
        assertThat(MINUTES.pane(60_000)).isEqualTo(1);
    }

    @Test
    void endsReached_watermarkAtAnEnd_reachesIt() {
        assertThat(MINUTES.endsReached(119_999)).isEqualTo(1);
        assertThat(MINUTES.endsReached(120_000)).isEqualTo(2);
        assertThat(MINUTES.endsReached(-60_000)).isEqualTo(-1);
        assertThat(MINUTES.endsReached(-59_999)).isEqualTo(-1);
    }

    @Test
    void all_randomTimesAndEndsOfLong_agreeWithBigIntegers() {
        Random random = new Random(11);
        for (int i = 0; i < 10_000; i++) {
            long every = i % 10 == 0 ? 1 : 1 + random.nextLong(1L << random.nextInt(1, 40));
            long time = switch (i % 4) {
                case 0 -> Long.MIN_VALUE + random.nextInt(1_000);
                case 1 -> Long.MAX_VALUE - random.nextInt(1_000);
                case 2 -> random.nextInt(-1_000, 1_000) * every;
                default -> random.nextLong();
            };
            PaneClock clock = new PaneClock(every);
            BigInteger t = BigInteger.valueOf(time);
            BigInteger e = BigInteger.valueOf(every);
            BigInteger floor = t.subtract(t.mod(e)).divide(e);
            BigInteger ceiling = t.mod(e).signum() == 0 ? floor : floor.add(BigInteger.ONE);
            assertThat(clock.pane(time)).isEqualTo(floor.longValueExact());
            assertThat(clock.endsReached(time)).isEqualTo(floor.longValueExact());
            assertThat(clock.firstEndAtOrAfter(time)).isEqualTo(ceiling.longValueExact());
        }
    }

    @Test
    void endMs_beyondLong_isRefused() {
        assertThat(MINUTES.endMs(-3)).isEqualTo(-180_000);
        assertThatThrownBy(() -> MINUTES.endMs(Long.MAX_VALUE / 60_000 + 1)).isInstanceOf(ArithmeticException.class);
    }
}
