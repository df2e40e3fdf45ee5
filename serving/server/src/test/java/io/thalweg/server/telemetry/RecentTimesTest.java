package io.thalweg.server.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Outcome;
import io.thalweg.server.telemetry.RecentTimes.Percentiles;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecentTimesTest {
    private final AtomicLong now = new AtomicLong(-5_000_000_000L);
    private final RecentTimes times = new RecentTimes(now::get);

    private static final class Anybody extends Call {
        Anybody(String caller) {
            super(caller, null, false, 0, NO_DEADLINE, 0, 1);
        }

        @Override
        protected void admitted() {}

        @Override
        protected void refused(io.thalweg.qalm.Refusal reason) {}
    }

    private void took(String caller, long queueNanos, long serviceNanos) {
        times.released("E", new Anybody(caller), Outcome.SUCCESS, queueNanos, serviceNanos);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void taken_randomTimes_areWithinABucketOfTheExactPercentiles(long seed) {
        Random random = new Random(seed);
        double[] ms = new double[1 + random.nextInt(500)];
        for (int i = 0; i < ms.length; i++) {
            long nanos = (long) (Math.exp(random.nextGaussian() * 2) * 5_000_000) + 2_000;
            ms[i] = nanos / 1e6;
            took("a", 0, nanos);
        }
        Arrays.sort(ms);
        Percentiles seen = times.taken("E", "a");
        assertThat(seen.count()).isEqualTo(ms.length);
        for (var pair : new double[][] {{0.5, seen.p50Ms()}, {0.9, seen.p90Ms()}, {0.99, seen.p99Ms()}}) {
            double exact = ms[(int) Math.ceil(pair[0] * ms.length) - 1];
            assertThat(pair[1]).as("p%s of %s", pair[0], ms.length).isCloseTo(exact, within(exact * 0.125 + 0.0005));
        }
    }

    @Test
    void taken_afterTwentySeconds_isForgotten() {
        took("a", 1_000_000, 1_000_000);
        now.addAndGet(TimeUnit.SECONDS.toNanos(11));
        took("b", 1_000_000, 3_000_000);
        assertThat(times.taken("E").count()).isEqualTo(2);
        assertThat(times.taken("E", "a").count()).isEqualTo(1);
        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        assertThat(times.taken("E").count()).isEqualTo(2);
        now.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(times.taken("E").count()).isEqualTo(1);
        now.addAndGet(TimeUnit.SECONDS.toNanos(30));
        assertThat(times.taken("E")).isEqualTo(Percentiles.NONE);
    }

    @Test
    void waited_nobodyCalled_isUnknown() {
        assertThat(times.waited("nowhere").p99Ms()).isNaN();
        took("a", 8_000_000, 1);
        assertThat(times.waited("E").p50Ms()).isCloseTo(8, within(1.0));
    }

    @Test
    void taken_veryManyCallers_boundedButAllCounted() {
        for (int i = 0; i < 500; i++) {
            took("caller-" + i, 0, 1_000);
        }
        assertThat(times.taken("E").count()).isEqualTo(500);
        assertThat(times.taken("E", "caller-400")).isEqualTo(Percentiles.NONE);
    }
}
