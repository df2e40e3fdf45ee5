package io.thalweg.qalm.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the estimates of a lane with the truth. */
class EstimatesTest {
    private static final long MS = 1_000_000;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void delayWindow_randomSamples_agreesWithAList(long seed) {
        Random random = new Random(seed);
        DelayWindow window = new DelayWindow();
        List<long[]> all = new ArrayList<>();
        long now = random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L);
        for (int step = 0; step < 1_000; step++) {
            now += random.nextInt(10) == 0 ? random.nextLong(200 * MS) : random.nextLong(3 * MS);
            long delay = 1_000 * random.nextLong(50_000);
            window.record(now, delay);
            all.add(new long[] {now, delay});
            long at = now + random.nextLong(30 * MS);
            long from = Math.floorDiv(at, DelayWindow.CELL_NANOS) - DelayWindow.CELLS;
            List<long[]> recent = all.stream()
                    .filter(sample -> Math.floorDiv(sample[0], DelayWindow.CELL_NANOS) > from)
                    .toList();
            long min = recent.stream().mapToLong(sample -> sample[1]).min().orElse(DelayWindow.NONE);
            assertThat(window.minNanos(at)).isEqualTo(min);
            assertThat(Math.min(2, window.samples(at))).isEqualTo(Math.min(2, recent.size()));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void serviceTimes_lognormal_meanIsExactAndQuantilesAreGoodToAnEighth(long seed) {
        Random random = new Random(seed);
        ServiceTimes times = new ServiceTimes(0);
        double median = Math.exp(random.nextDouble(Math.log(5e3), Math.log(5e9)));
        long[] samples = new long[5_000];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (long) (median * Math.exp(0.5 * random.nextGaussian()));
            times.record(samples[i], 1);
        }
        times.fold(1);
        Arrays.sort(samples);

        assertThat(times.meanNanos()).isCloseTo(Arrays.stream(samples).average().orElseThrow(), within(1.0));
        for (double q : new double[] {0.1, 0.5, 0.9, 0.99}) {
            double exact = samples[(int) (q * samples.length)];
            assertThat(times.quantileNanos(q)).isCloseTo(exact, within(exact / 7));
        }
    }

    @Test
    void serviceTimes_newSpeed_isKnownWithinSecondsAndNothingIsForgottenInSilence() {
        ServiceTimes times = new ServiceTimes(0);
        for (int i = 0; i < 1_000; i++) {
            times.record(10 * MS, 1);
        }
        times.fold(1);
        times.fold(3_600_000 * MS);
        assertThat(times.meanNanos()).isCloseTo(10 * MS, within(0.1 * MS));
        for (int tick = 1; tick <= 60; tick++) {
            times.record(40 * MS, 1);
            times.record(40 * MS, 1);
            times.fold(3_600_000 * MS + tick * 50L * MS);
        }
        assertThat(times.meanNanos()).isCloseTo(40 * MS, within(3.0 * MS));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void gate_randomArrivals_letsInFifteenPercentMoreThanTheCapacityAndTheBestRanks(long seed) {
        Random random = new Random(seed);
        RankGate gate = new RankGate(0);
        int[] arrivals = new int[20_000];
        for (int i = 0; i < arrivals.length; i++) {
            arrivals[i] = random.nextInt(RankGate.RANKS);
            gate.arrived(arrivals[i], 1);
        }
        double capacity = random.nextDouble(1_000, 40_000);
        RankGate.Threshold threshold = gate.threshold(500 * MS, capacity);

        double neverDrop = Arrays.stream(arrivals)
                        .filter(rank -> rank < RankGate.SHEDDABLE)
                        .count()
                * 2.0;
        double in = 0;
        for (int rank : arrivals) {
            boolean out = rank > threshold.rank() && rank >= RankGate.SHEDDABLE;
            in += out ? 0 : rank == threshold.rank() ? 1 - threshold.share() : 1;
        }
        assertThat(2 * in).isCloseTo(Math.min(40_000, Math.max(neverDrop, 1.15 * capacity)), within(1.0));
    }

    @Test
    void limit_callsSlowedByTheirNumber_findsTheKnee() {
        ConcurrencyLimit limit = new ConcurrencyLimit(2, 64);
        Random random = new Random(1);
        feed(limit, random, 200, 4, 3);
        assertThat(limit.limit()).isEqualTo(64);
        feed(limit, random, 400, 4, 64);
        assertThat(limit.limit()).isBetween(3, 10);
        assertThat(limit.baselineNanos()).isCloseTo(20 * MS, within(6.0 * MS));
    }

    @Test
    void limit_everythingFourTimesSlower_isNotTheirNumberAndStays() {
        ConcurrencyLimit limit = new ConcurrencyLimit(2, 64);
        Random random = new Random(2);
        feed(limit, random, 100, 64, 64);
        for (int i = 0; i < 200; i++) {
            window(limit, random, 80 * MS, 64);
        }
        assertThat(limit.limit()).isGreaterThan(57);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void limit_slowSpellWhileFewCallsAreUnderWay_goesBackToWhereItWas(long seed) {
        ConcurrencyLimit limit = new ConcurrencyLimit(2, 64);
        Random random = new Random(seed);
        feed(limit, random, 50, 8, 6);
        for (int i = 0; i < 20; i++) {
            window(limit, random, 60 * MS, Math.min(6, limit.limit()));
        }
        feed(limit, random, 60, 64, 64);
        assertThat(limit.limit()).as("a burst finds all slots").isEqualTo(64);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void limit_fellWhileTheMachineWasSlow_findsBackUnderLoad(long seed) {
        ConcurrencyLimit limit = new ConcurrencyLimit(2, 64);
        Random random = new Random(seed);
        feed(limit, random, 50, 64, 64);
        for (int i = 0; i < 40; i++) {
            // Slower for an external reason, and by chance faster with every step.
            window(limit, random, (long) (20 * MS * (5 - 0.1 * i)), limit.limit());
        }
        for (int i = 0; i < 200; i++) {
            window(limit, random, 25 * MS, limit.limit());
        }
        assertThat(limit.limit()).isGreaterThan(50);
    }

    @Test
    void limit_unhealthyTime_shrinksToTheLeast() {
        ConcurrencyLimit limit = new ConcurrencyLimit(2, 64);
        for (int i = 0; i < 400; i++) {
            limit.add(100, 100.0 * 20 * MS * Math.max(1, limit.limit() / 4.0), limit.limit(), true, 20 * MS);
        }
        assertThat(limit.limit()).isBetween(2, 5);
    }

    private static void feed(ConcurrencyLimit limit, Random random, int windows, int cores, int wanted) {
        for (int i = 0; i < windows; i++) {
            int inflight = Math.min(wanted, limit.limit());
            window(limit, random, (long) (20 * MS * Math.max(1.0, (double) inflight / cores)), inflight);
        }
    }

    private static void window(ConcurrencyLimit limit, Random random, long nanos, int inflight) {
        double noise = 1 + 0.05 * random.nextGaussian();
        limit.add(100, 100 * noise * nanos, inflight, inflight == limit.limit(), Double.POSITIVE_INFINITY);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void learnedBudget_randomSeconds_isTwiceTheirQuantile(long seed) {
        Random random = new Random(seed);
        LearnedBudget budget = new LearnedBudget();
        double mean = Math.exp(random.nextDouble(0, 9));
        int seconds = LearnedBudget.SECONDS_MIN + random.nextInt(2_000);
        long[] calls = new long[seconds];
        for (int i = 0; i < seconds; i++) {
            calls[i] = Math.max(1, (long) (mean + Math.sqrt(mean) * random.nextGaussian()));
            assertThat(budget.perSecond())
                    .isEqualTo(i < LearnedBudget.SECONDS_MIN ? Double.POSITIVE_INFINITY : budget.perSecond());
            budget.second(calls[i]);
        }
        Arrays.sort(calls);
        double least = 2 * calls[(int) (0.998 * seconds)];
        double most = 2 * 1.2 * calls[seconds - 1];
        assertThat(budget.perSecond())
                .isBetween(Math.max(LearnedBudget.LEAST, least), Math.max(LearnedBudget.LEAST, most));
    }

    @Test
    void learnedBudget_tenTimesAsMuchAtOnce_isBelievedSlowly() {
        LearnedBudget budget = new LearnedBudget();
        for (int i = 0; i < 20_000; i++) {
            budget.second(100);
        }
        assertThat(budget.perSecond()).isBetween(200.0, 240.0);
        for (int i = 0; i < 15; i++) {
            budget.second(1_000);
        }
        assertThat(budget.perSecond()).as("a quarter of a minute in five hours").isBetween(200.0, 240.0);
        for (int i = 0; i < 600; i++) {
            budget.second(1_000);
        }
        assertThat(budget.perSecond()).isBetween(2_000.0, 2_400.0);
    }

    @Test
    void learnedBudget_monthsOfSeconds_fadeAndNothingOverflows() {
        LearnedBudget budget = new LearnedBudget();
        for (int i = 0; i < 3_000_000; i++) {
            budget.second(1_000);
        }
        for (int i = 0; i < 1_000_000; i++) {
            budget.second(10);
        }
        assertThat(budget.perSecond()).isBetween(20.0, 24.0);
    }
}
