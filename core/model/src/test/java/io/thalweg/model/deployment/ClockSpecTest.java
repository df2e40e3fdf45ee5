package io.thalweg.model.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class ClockSpecTest {
    private static final Instant WALL = Instant.parse("2026-11-21T10:00:00.123Z");

    @Test
    void nowMs_system_isTheWallClock() {
        assertThat(ClockSpec.system().nowMs(WALL.toEpochMilli())).isEqualTo(WALL.toEpochMilli());
    }

    @Test
    void nowMs_speedTen_runsTenTimesAsFastFromTheAnchor() {
        ClockSpec clock = new ClockSpec(1_000, 500_000, 10);
        assertThat(clock.nowMs(1_000)).isEqualTo(500_000);
        assertThat(clock.nowMs(1_007)).isEqualTo(500_070);
        assertThat(clock.nowMs(999)).isEqualTo(499_990);
    }

    @Test
    void nowMs_slowerThanTheWall_roundsDown() {
        assertThat(new ClockSpec(0, 0, 0.4).nowMs(4)).isEqualTo(1);
        assertThat(new ClockSpec(0, 0, 0.4).nowMs(-1)).isEqualTo(-1);
    }

    @Test
    void toClock_fixedWall_showsTheSimulatedTime() {
        Clock clock = new ClockSpec(WALL.toEpochMilli() - 60_000, 0, 2).toClock(Clock.fixed(WALL, ZoneOffset.UTC));
        assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(120_000));
        assertThat(clock.millis()).isEqualTo(120_000);
        assertThat(clock.getZone()).isEqualTo(ZoneOffset.UTC);
        ZoneId zone = ZoneId.of("America/New_York");
        assertThat(clock.withZone(zone).getZone()).isEqualTo(zone);
        assertThat(clock.withZone(zone).millis()).isEqualTo(120_000);
    }

    @Test
    void constructor_speedNotAboveZero_namesIt() {
        for (double speed : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> new ClockSpec(0, 0, speed))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("speed must be finite and above 0, was " + speed);
        }
    }
}
