package io.thalweg.jobs.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the number of lanes against simulated services, with a sample per second. */
class LaneCountTest {
    private static final double MB = 1e6;

    /** A service with a limit per lane and in total. */
    private record Service(double perLane, double total) {
        /** Returns the sample of a second under a load, with noise of a few percent. */
        LaneCount.Look look(double load, int lanes, Random random) {
            double noise = 1 + 0.02 * random.nextGaussian();
            double most = Math.min(perLane * lanes, total);
            double rate = Math.min(load, most) * noise;
            double full = load <= most ? 0 : 1 - most / load;
            return new LaneCount.Look(full, Math.min(1, load / most), rate);
        }

        /** Runs for some seconds. */
        void run(LaneCount count, double load, int seconds, Random random) {
            for (int i = 0; i < seconds; i++) {
                count.next(look(load, count.lanes(), random));
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_loadTimesTen_hasEnoughLanesWithinThirtySeconds(long seed) {
        Random random = new Random(seed);
        double perLane = (5 + random.nextInt(20)) * MB;
        Service service = new Service(perLane, Double.MAX_VALUE);
        LaneCount count = new LaneCount(1, 64);
        service.run(count, 0.9 * perLane, 60, random);
        assertThat(count.lanes()).isEqualTo(1);

        service.run(count, 9 * perLane, 30, random);

        assertThat(count.lanes()).as("9 are needed, and lanes double").isBetween(9, 16);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_totalLimit_growthThatDoesNotPayIsTakenBack(long seed) {
        Random random = new Random(seed);
        Service quota = new Service(10 * MB, 38 * MB);
        LaneCount count = new LaneCount(1, 64);

        quota.run(count, 500 * MB, 300, random);
        int most = 0;
        int seconds = 0;
        for (int i = 0; i < 600; i++) {
            most = Math.max(most, count.next(quota.look(500 * MB, count.lanes(), random)));
            seconds += count.lanes() > 4 ? 1 : 0;
        }

        assertThat(most).as("a trial doubles once").isLessThanOrEqualTo(8);
        assertThat(seconds).as("trials last six seconds of sixty-six").isLessThan(70);
    }

    @Test
    void next_idle_givesOneLaneBackAMinute() {
        Random random = new Random(1);
        Service service = new Service(10 * MB, Double.MAX_VALUE);
        LaneCount count = new LaneCount(1, 64);
        service.run(count, 150 * MB, 60, random);
        int grown = count.lanes();
        assertThat(grown).isGreaterThanOrEqualTo(15);

        service.run(count, 1 * MB, 59, random);
        assertThat(count.lanes()).isEqualTo(grown);
        service.run(count, 1 * MB, 1, random);
        assertThat(count.lanes()).isEqualTo(grown - 1);
        service.run(count, 1 * MB, 60 * 64, random);
        assertThat(count.lanes()).isEqualTo(1);
    }

    @Test
    void next_fixedNumber_staysAsItIs() {
        Random random = new Random(1);
        Service service = new Service(10 * MB, Double.MAX_VALUE);
        LaneCount count = new LaneCount(5, 5);

        service.run(count, 500 * MB, 100, random);
        assertThat(count.lanes()).isEqualTo(5);
        service.run(count, 0.1 * MB, 500, random);
        assertThat(count.lanes()).isEqualTo(5);
    }

    @Test
    void writersOfSubtasks_areTheWholeTogether() {
        LaneSpec.Writers whole = new LaneSpec.Writers(50, 50);
        int lanes = 0;
        for (int subtask = 0; subtask < 7; subtask++) {
            lanes += whole.of(subtask, 7).least();
        }
        assertThat(lanes).isEqualTo(50);
        assertThat(new LaneSpec.Writers(1, 64).of(3, 4)).isEqualTo(new LaneSpec.Writers(1, 16));
        assertThat(new LaneSpec.Writers(2, 2).of(3, 4)).as("each has one").isEqualTo(new LaneSpec.Writers(1, 1));
    }
}
