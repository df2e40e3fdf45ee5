package io.thalweg.qalm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.thalweg.testing.Await;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lanes with real threads and the real clock. */
class LaneThreadsTest {
    private static Qalm qalm(int slots) {
        Map<String, CallerPolicy> callers = Map.of(
                "core", new CallerPolicy(Criticality.CORE), "background", new CallerPolicy(Criticality.BACKGROUND));
        Policy policy = endpoint ->
                new EndpointPolicy(LaneConfig.DEFAULT, caller -> callers.getOrDefault(caller, CallerPolicy.DEFAULT));
        return new Qalm(
                new QalmConfig(slots, 1), policy, System::nanoTime, () -> new SplittableRandom(1), Observer.NONE);
    }

    @Test
    void calls_allKindsOfEnds_leaveNothingBehind() throws Exception {
        requireNothingBehind(40_000);
    }

    @Test
    @Tag("soak")
    void aMillionCalls_allKindsOfEnds_leaveNothingBehind() throws Exception {
        requireNothingBehind(250_000);
    }

    private static void requireNothingBehind(int callsOfEachClient) throws Exception {
        int calls = 4 * callsOfEachClient;
        Qalm qalm = qalm(8);
        ExecutorService workers = Executors.newFixedThreadPool(4);
        ExecutorService clients = Executors.newFixedThreadPool(4);
        LongAdder answers = new LongAdder();
        List<Future<?>> done = new ArrayList<>();
        for (int client = 0; client < 4; client++) {
            SplittableRandom random = new SplittableRandom(client);
            done.add(clients.submit(() -> send(qalm, callsOfEachClient, random, workers, answers)));
        }
        while (done.stream().anyMatch(future -> !future.isDone())) {
            qalm.tick();
        }
        for (Future<?> future : done) {
            future.get();
        }
        clients.shutdown();
        Await.until("all answers", () -> {
            qalm.tick();
            return answers.sum() >= calls;
        });
        workers.shutdown();
        assertThat(workers.awaitTermination(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(answers.sum()).isEqualTo(calls);
        assertThat(qalm.snapshot()).hasSize(3).allSatisfy(lane -> {
            assertThat(lane.inflight()).isZero();
            assertThat(lane.waiting()).isZero();
            assertThat(lane.failures()).isZero();
        });
    }

    private static void send(Qalm qalm, int calls, RandomGenerator random, ExecutorService workers, LongAdder answers) {
        String[] callers = {"core", "anybody", "background"};
        for (int i = 0; i < calls; i++) {
            int kind = random.nextInt(8);
            long timeout = kind == 0 ? 20_000 : Call.NO_DEADLINE;
            Call call = new Call(callers[random.nextInt(3)], null, false, qalm.nanoTime(), timeout, i, 1) {
                @Override
                protected void admitted() {
                    workers.execute(() -> {
                        release(kind == 1 ? Outcome.DROPPED : kind == 2 ? Outcome.IGNORED : Outcome.SUCCESS);
                        release(Outcome.SUCCESS);
                        answers.increment();
                    });
                }

                @Override
                protected void refused(Refusal reason) {
                    answers.increment();
                }
            };
            qalm.lane("endpoint-" + random.nextInt(3)).submit(call);
            if (kind == 3) {
                call.cancel();
            }
        }
    }

    @Test
    void fastPath_calmTimes_allocatesNothing() {
        Lane lane = qalm(8).lane("endpoint");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        TestCall call = new TestCall("core", System.nanoTime());
        admitAndRelease(lane, call, 50_000);

        long before = threads.getThreadAllocatedBytes(thread);
        admitAndRelease(lane, call, 100_000);
        long bytes = threads.getThreadAllocatedBytes(thread) - before;

        assertThat(call.admissions).isEqualTo(150_000);
        assertThat(bytes / 100_000.0).as("bytes per call").isLessThan(0.5);
    }

    /** Reuses one call, because a new one would be an allocation of the caller, not of the lane. */
    private static void admitAndRelease(Lane lane, TestCall call, int times) {
        for (int i = 0; i < times; i++) {
            lane.submit(call);
            call.release(Outcome.SUCCESS);
        }
    }
}
