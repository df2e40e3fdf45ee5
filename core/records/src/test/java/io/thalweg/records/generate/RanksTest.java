package io.thalweg.records.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RanksTest {
    private static final int DRAWS = 400_000;

    /** Returns the share of the first {@code ranks} ranks, summed one by one. */
    private static double naiveShare(long ranks, long count, double exponent) {
        double head = 0;
        double all = 0;
        for (long rank = 1; rank <= count; rank++) {
            double weight = Math.pow((double) rank, -exponent);
            all += weight;
            head += rank <= ranks ? weight : 0;
        }
        return head / all;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "10, 0.5", "1000, 1", "5000, 0", "5000, 1.1", "200000, 0.8", "200000, 1", "200000, 2"})
    void draw_anyExponent_hasTheSharesOfZipfsLaw(long count, double exponent) {
        Ranks ranks = Ranks.of(count, exponent);
        SplitMix random = new SplitMix(7);
        long[] bounds = {1, 2, 10, 100, 1_000, 1_100, 3_000, 10_000, 50_000, 200_000};
        int[] below = new int[bounds.length];
        int outside = 0;
        for (int i = 0; i < DRAWS; i++) {
            long rank = ranks.draw(random);
            outside += rank < 0 || rank >= count ? 1 : 0;
            for (int b = 0; b < bounds.length; b++) {
                below[b] += rank < bounds[b] ? 1 : 0;
            }
        }
        assertThat(outside).isZero();
        for (int b = 0; b < bounds.length; b++) {
            double expected = naiveShare(bounds[b], count, exponent);
            // Five standard errors plus the error of the segments.
            double tolerance = 5 * Math.sqrt(expected * (1 - expected) / DRAWS) + 1e-3 * expected;
            assertThat(below[b] / (double) DRAWS).as("first %d", bounds[b]).isCloseTo(expected, within(tolerance));
        }
    }

    @ParameterizedTest
    @CsvSource({"1000, 1", "3000, 0.5"})
    void draw_often_reachesEachRank(int count, double exponent) {
        Ranks ranks = Ranks.of(count, exponent);
        SplitMix random = new SplitMix(3);
        boolean[] seen = new boolean[count];
        for (int i = 0; i < DRAWS; i++) {
            seen[(int) ranks.draw(random)] = true;
        }
        assertThat(seen).doesNotContain(false);
    }

    @ParameterizedTest
    @CsvSource({"1e15, 1.2", "1e18, 0"})
    void draw_astronomicCount_staysInRange(double count, double exponent) {
        Ranks ranks = Ranks.of((long) count, exponent);
        SplitMix random = new SplitMix(1);
        for (int i = 0; i < 10_000; i++) {
            assertThat(ranks.draw(random)).isBetween(0L, (long) count - 1);
        }
    }
}
