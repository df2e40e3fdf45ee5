package io.thalweg.qalm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OccupancyTest {
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void anyOperations_randomLanes_freeIsTheTotalLessWhatLanesOccupy(long seed) {
        Random random = new Random(seed);
        Slots slots = new Slots(20);
        List<Occupancy> lanes = List.of(new Occupancy(slots), new Occupancy(slots), new Occupancy(slots));
        List<Queue<Integer>> underWay = List.of(new ArrayDeque<>(), new ArrayDeque<>(), new ArrayDeque<>());
        int[] inflight = new int[3];
        int[] reserve = new int[3];
        for (int step = 0; step < 2_000; step++) {
            int lane = random.nextInt(3);
            switch (random.nextInt(5)) {
                case 0 -> {
                    reserve[lane] = random.nextInt(6);
                    lanes.get(lane).reserve(reserve[lane]);
                }
                case 1, 2 -> {
                    Integer weight = underWay.get(lane).poll();
                    if (weight != null) {
                        int before = free(inflight, reserve);
                        inflight[lane] -= weight;
                        assertThat(lanes.get(lane).release(weight)).isEqualTo(free(inflight, reserve) > before);
                    }
                }
                default -> {
                    int weight = random.nextInt(3) == 0 ? 1 + random.nextInt(18) : 1;
                    int before = inflight[lane];
                    int free = free(inflight, reserve);
                    inflight[lane] += weight;
                    // The slots that it borrows must be free beforehand.
                    boolean expected = (before == 0 || inflight[lane] <= 15)
                            && (free - free(inflight, reserve) == 0 || free(inflight, reserve) >= 0);
                    assertThat(lanes.get(lane).tryAcquire(weight, 15)).isEqualTo(expected);
                    if (expected) {
                        underWay.get(lane).add(weight);
                    } else {
                        inflight[lane] = before;
                    }
                }
            }
            assertThat(slots.free()).isEqualTo(free(inflight, reserve));
        }
    }

    private static int free(int[] inflight, int[] reserve) {
        int occupied = 0;
        for (int i = 0; i < inflight.length; i++) {
            occupied += Math.max(inflight[i], reserve[i]);
        }
        return 20 - occupied;
    }

    @Test
    void acquireAndRelease_manyThreads_leaveNothingBehind() throws Exception {
        Slots slots = new Slots(6);
        Occupancy a = new Occupancy(slots);
        Occupancy b = new Occupancy(slots);
        a.reserve(2);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> done = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            Occupancy mine = thread % 2 == 0 ? a : b;
            done.add(threads.submit(() -> churn(mine)));
        }
        for (int i = 0; i < 2_000; i++) {
            a.reserve(i % 4);
        }
        for (Future<?> each : done) {
            each.get();
        }
        threads.shutdown();
        a.reserve(0);
        assertThat(a.inflight()).isZero();
        assertThat(b.inflight()).isZero();
        assertThat(slots.free()).isEqualTo(6);
    }

    private static void churn(Occupancy occupancy) {
        for (int i = 0; i < 200_000; i++) {
            int weight = 1 + i % 3;
            if (occupancy.tryAcquire(weight, 4)) {
                occupancy.release(weight);
            }
        }
    }
}
