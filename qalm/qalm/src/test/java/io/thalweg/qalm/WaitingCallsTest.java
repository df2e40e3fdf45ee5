package io.thalweg.qalm;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.qalm.estimate.RankGate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WaitingCallsTest {
    /** A naive implementation: one list that is scanned from end to end. */
    private static final class Naive {
        final List<Call> calls = new ArrayList<>();

        static int bucket(Call call) {
            return WaitingCalls.bucket(call.criticality, call.cohort);
        }

        List<Call> in(int bucket) {
            return calls.stream().filter(call -> bucket(call) == bucket).toList();
        }

        int best() {
            return calls.stream().mapToInt(Naive::bucket).min().orElse(32);
        }

        int worst() {
            return calls.stream().mapToInt(Naive::bucket).max().orElse(-1);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void anyOperations_randomCalls_agreeWithOneList(long seed) {
        Random random = new Random(seed);
        WaitingCalls waiting = new WaitingCalls();
        Naive naive = new Naive();
        for (int step = 0; step < 2_000; step++) {
            if (random.nextInt(100) < 52) {
                Call call = new TestCall("caller", step);
                call.criticality = Criticality.ofLevel(random.nextInt(4));
                call.cohort = random.nextInt(RankGate.COHORTS);
                waiting.add(call);
                naive.calls.add(call);
            } else if (!naive.calls.isEmpty()) {
                waiting.remove(naive.calls.remove(random.nextInt(naive.calls.size())));
            }
            compare(waiting, naive, random.nextInt(WaitingCalls.BUCKETS));
        }
    }

    private static void compare(WaitingCalls waiting, Naive naive, int bucket) {
        assertThat(waiting.size()).isEqualTo(naive.calls.size());
        assertThat(waiting.best()).isEqualTo(naive.best());
        assertThat(waiting.worst()).isEqualTo(naive.worst());
        assertThat(waiting.oldest())
                .isSameAs(naive.calls.stream()
                        .min(Comparator.comparingLong(call -> call.order))
                        .orElse(null));
        List<Call> there = naive.in(bucket);
        assertThat(waiting.first(bucket)).isSameAs(there.isEmpty() ? null : there.get(0));
        assertThat(waiting.last(bucket)).isSameAs(there.isEmpty() ? null : there.get(there.size() - 1));
        assertThat(waiting.weightUpTo(bucket)).isEqualTo((int) naive.calls.stream()
                .filter(call -> Naive.bucket(call) <= bucket)
                .count());
    }
}
