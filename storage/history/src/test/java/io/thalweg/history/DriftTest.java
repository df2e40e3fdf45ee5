package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DriftTest {
    private static double[] sorted(DoubleStream values) {
        return values.sorted().toArray();
    }

    @Test
    void of_sameValues_areZero() {
        double[] values = sorted(new Random(1).doubles(1_000));
        assertThat(Drift.psi(values, values)).isZero();
        assertThat(Drift.ks(values, values)).isZero();
    }

    @Test
    void of_disjointValues_areFarApart() {
        double[] low = sorted(new Random(1).doubles(1_000));
        double[] high = sorted(new Random(2).doubles(1_000, 2, 3));
        assertThat(Drift.ks(low, high)).isEqualTo(1);
        assertThat(Drift.psi(low, high)).isGreaterThan(1);
    }

    /** Half of the values become zeros: 0.5 against a floor of 1e-4 in the bin of zeros, 0.05 against 0.1 in each of the others. */
    @Test
    void psi_halfBecomesZero_isTheSumOverTheBins() {
        double[] baseline = sorted(DoubleStream.iterate(1, value -> value + 1).limit(1_000));
        double[] served = sorted(DoubleStream.concat(
                DoubleStream.generate(() -> 0).limit(500),
                DoubleStream.iterate(1, value -> value + 2).limit(500)));
        double expected = (0.5 - 1e-4) * Math.log(0.5 / 1e-4) + 10 * (0.05 - 0.1) * Math.log(0.05 / 0.1);
        assertThat(Drift.psi(baseline, served)).isCloseTo(expected, within(1e-2));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void ks_equalsTheNaiveOne(long seed) {
        Random random = new Random(seed);
        double[] one = sorted(random.ints(1 + random.nextInt(50), 0, 20).asDoubleStream());
        double[] other = sorted(random.ints(1 + random.nextInt(50), 5, 25).asDoubleStream());
        double most = 0;
        for (double at = 0; at < 25; at++) {
            most = Math.max(most, Math.abs(shareUpTo(one, at) - shareUpTo(other, at)));
        }
        assertThat(Drift.ks(one, other)).isCloseTo(most, within(1e-12));
    }

    private static double shareUpTo(double[] values, double at) {
        return Arrays.stream(values).filter(value -> value <= at).count() / (double) values.length;
    }

    @Test
    void sample_manyValues_keepsTheDistribution() {
        ValueSample sample = new ValueSample();
        for (int i = 0; i < 4 * ValueSample.MOST; i++) {
            sample.add(i % 4);
        }
        sample.addNull();
        double[] kept = sample.sorted();
        assertThat(kept).hasSize(ValueSample.MOST);
        assertThat(shareUpTo(kept, 1)).isCloseTo(0.5, within(0.01));
        assertThat(sample.zeroShare()).isEqualTo(0.25);
        assertThat(sample.values()).isEqualTo(4L * ValueSample.MOST);
    }
}
