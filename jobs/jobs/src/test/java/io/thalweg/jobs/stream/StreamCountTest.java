package io.thalweg.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the number of streams against simulated services, with a sample per second. */
class StreamCountTest {
    private static final double MB = 1e6;

    /** A service with a limit per stream and in total. */
    private record Service(double perStream, double total) {
        /** Returns the sample of a second under a load, with noise of a few percent. */
        StreamCount.Look look(double load, int streams, Random random) {
            double noise = 1 + 0.02 * random.nextGaussian();
            double most = Math.min(perStream * streams, total);
            double rate = Math.min(load, most) * noise;
            double full = load <= most ? 0 : 1 - most / load;
            return new StreamCount.Look(full, Math.min(1, load / most), rate);
        }

        /** Runs for some seconds. */
        void run(StreamCount count, double load, int seconds, Random random) {
            for (int i = 0; i < seconds; i++) {
                count.next(look(load, count.streams(), random));
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_loadTimesTen_hasEnoughStreamsWithinThirtySeconds(long seed) {
        Random random = new Random(seed);
        double perStream = (5 + random.nextInt(20)) * MB;
        Service service = new Service(perStream, Double.MAX_VALUE);
        StreamCount count = new StreamCount(1, 64);
        service.run(count, 0.9 * perStream, 60, random);
        assertThat(count.streams()).isEqualTo(1);

        service.run(count, 9 * perStream, 30, random);

        assertThat(count.streams()).as("9 are needed, and streams double").isBetween(9, 16);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_totalLimit_growthThatDoesNotPayIsTakenBack(long seed) {
        Random random = new Random(seed);
        Service quota = new Service(10 * MB, 38 * MB);
        StreamCount count = new StreamCount(1, 64);

        quota.run(count, 500 * MB, 300, random);
        int most = 0;
        int seconds = 0;
        for (int i = 0; i < 600; i++) {
            most = Math.max(most, count.next(quota.look(500 * MB, count.streams(), random)));
            seconds += count.streams() > 4 ? 1 : 0;
        }

        assertThat(most).as("a trial doubles once").isLessThanOrEqualTo(8);
        assertThat(seconds).as("trials last six seconds of sixty-six").isLessThan(70);
    }

    @Test
    void next_idle_givesOneStreamBackAMinute() {
        Random random = new Random(1);
        Service service = new Service(10 * MB, Double.MAX_VALUE);
        StreamCount count = new StreamCount(1, 64);
        service.run(count, 150 * MB, 60, random);
        int grown = count.streams();
        assertThat(grown).isGreaterThanOrEqualTo(15);

        service.run(count, 1 * MB, 59, random);
        assertThat(count.streams()).isEqualTo(grown);
        service.run(count, 1 * MB, 1, random);
        assertThat(count.streams()).isEqualTo(grown - 1);
        service.run(count, 1 * MB, 60 * 64, random);
        assertThat(count.streams()).isEqualTo(1);
    }

    @Test
    void next_fixedNumber_staysAsItIs() {
        Random random = new Random(1);
        Service service = new Service(10 * MB, Double.MAX_VALUE);
        StreamCount count = new StreamCount(5, 5);

        service.run(count, 500 * MB, 100, random);
        assertThat(count.streams()).isEqualTo(5);
        service.run(count, 0.1 * MB, 500, random);
        assertThat(count.streams()).isEqualTo(5);
    }

    @Test
    void writersOfSubtasks_areTheWholeTogether() {
        StreamSpec.Writers whole = new StreamSpec.Writers(50, 50);
        int streams = 0;
        for (int subtask = 0; subtask < 7; subtask++) {
            streams += whole.of(subtask, 7).least();
        }
        assertThat(streams).isEqualTo(50);
        assertThat(new StreamSpec.Writers(1, 64).of(3, 4)).isEqualTo(new StreamSpec.Writers(1, 16));
        assertThat(new StreamSpec.Writers(2, 2).of(3, 4)).as("each has one").isEqualTo(new StreamSpec.Writers(1, 1));
    }
}
