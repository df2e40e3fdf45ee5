package io.thalweg.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.bench.soak.Series.Bound;
import io.thalweg.bench.soak.Series.Point;
import io.thalweg.bench.soak.Series.Trend;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SeriesTest {
    private static final Bound TENTH = new Bound(0.1, 5);

    /** Returns a series with a value every ten seconds. */
    private static Series series(int points, Bound bound, DoubleUnaryOperator at) {
        return new Series(
                "heap_live_bytes",
                bound,
                IntStream.range(0, points)
                        .mapToObj(i -> new Point(10.0 * i, at.applyAsDouble(10.0 * i)))
                        .toList());
    }

    private static Trend course(Series series) {
        return Objects.requireNonNull(series.course());
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void drifts_levelWithNoiseAndSpikes_no(long seed) {
        Random random = new Random(seed);
        Series level = series(120, TENTH, t -> 270 + 8 * random.nextGaussian() + (random.nextInt(10) == 0 ? 2_000 : 0));
        assertThat(level.drifts()).isFalse();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void drifts_leakOfAThirdUnderNoise_yes(long seed) {
        Random random = new Random(seed);
        Series leak = series(120, TENTH, t -> 270 + 90 * t / 1_190 + 8 * random.nextGaussian());
        assertThat(leak.drifts()).isTrue();
        assertThat(course(leak).perHour()).isCloseTo(90 * 3_600 / 1_190.0, within(80.0));
    }

    @Test
    void drifts_growthInTheLastSixthOnly_yes() {
        assertThat(series(120, TENTH, t -> t < 1_000 ? 100 : 100 + (t - 1_000)).drifts())
                .isTrue();
    }

    @Test
    void drifts_sawtoothWithinAFifth_no() {
        assertThat(series(120, TENTH, t -> 100 + t % 120).drifts()).isFalse();
    }

    @Test
    void drifts_falling_no() {
        assertThat(series(120, TENTH, t -> 1_000 - t / 10).drifts()).isFalse();
    }

    @Test
    void drifts_riseAtTheBound_onlyAboveIt() {
        DoubleUnaryOperator step = t -> t < 50 ? 100 : 112;
        assertThat(series(10, new Bound(0.12, 0), step).drifts()).isFalse();
        assertThat(series(10, new Bound(0.119, 0), step).drifts()).isTrue();
        assertThat(series(10, new Bound(0, 12), step).drifts()).isFalse();
        assertThat(series(10, new Bound(0, 11.9), step).drifts()).isTrue();
    }

    @Test
    void drifts_withoutABound_no() {
        Series shown = new Series(
                "heap_after_gc_bytes", null, series(50, TENTH, t -> t).points());
        assertThat(shown.drifts()).isFalse();
        assertThat(course(shown).rise()).isPositive();
    }

    @Test
    void course_fewerThanTenPoints_none() {
        assertThat(series(9, TENTH, t -> t * t).course()).isNull();
        assertThat(series(9, TENTH, t -> t * t).drifts()).isFalse();
        assertThat(series(0, TENTH, t -> t).course()).isNull();
    }

    @Test
    void course_straightLine_mediansOfTheFirstAndTheLastFifth() {
        Trend line = course(series(100, TENTH, t -> 7 + t));
        assertThat(line.first()).isEqualTo(7 + 95);
        assertThat(line.last()).isEqualTo(7 + 895);
        assertThat(line.perHour()).isCloseTo(3_600, within(1e-6));
    }

    @Test
    void points_manyThousands_thinnedWithoutChangingTheCourse() {
        Series day = series(8_640, TENTH, t -> t / 1_000);
        assertThat(day.points())
                .hasSize(576)
                .isSortedAccordingTo((a, b) -> Double.compare(a.atSeconds(), b.atSeconds()));
        assertThat(course(day).perHour()).isCloseTo(3.6, within(1e-6));
        assertThat(series(600, TENTH, t -> t).points()).hasSize(600);
        assertThat(List.copyOf(day.points())).doesNotHaveDuplicates();
    }
}
