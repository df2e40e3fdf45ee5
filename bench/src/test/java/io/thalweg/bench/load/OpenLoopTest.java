package io.thalweg.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class OpenLoopTest {
    private static final Duration PATIENCE = Duration.ofMillis(50);
    private static final double SECONDS = 0.1;

    /** Readers whose answers a test determines. */
    private static final class FakeReaders implements Readers {
        private final List<CompletableFuture<byte[]>> sent = new ArrayList<>();
        private CompletableFuture<byte[]> next = CompletableFuture.completedFuture(new byte[7]);

        @Override
        public int requests() {
            return 3;
        }

        @Override
        public CompletableFuture<byte[]> read(int request) {
            CompletableFuture<byte[]> answer = next.isDone() ? next : next.copy();
            sent.add(answer);
            return answer;
        }
    }

    private final FakeReaders readers = new FakeReaders();
    private final List<Long> latencies = new ArrayList<>();
    private final OpenLoop loop =
            new OpenLoop(readers, 2_000, 1, (dueNanos, nanos, failed) -> latencies.add(nanos), PATIENCE);

    private double figure(String name) {
        return loop.figures("read").get(name).doubleValue();
    }

    @Test
    void run_answers_countWithTheirBytes() {
        loop.run(SECONDS);

        assertThat(loop.failures()).isZero();
        assertThat(figure("reads")).isEqualTo(readers.sent.size()).isBetween(50.0, 400.0);
        assertThat(loop.answerBytes()).isEqualTo(7);
    }

    @Test
    void run_noAnswers_failWithTheTimeThatTheyWaited() {
        readers.next = new CompletableFuture<>();

        loop.run(SECONDS);

        assertThat(loop.failures()).isEqualTo(readers.sent.size());
        assertThat(figure("reads")).isZero();
        assertThat(figure("reads_failed")).isEqualTo(readers.sent.size());
        assertThat(figure("read_max_ms")).isGreaterThan(1_000 * SECONDS);
        assertThat(latencies).hasSize(readers.sent.size()).allMatch(nanos -> nanos >= PATIENCE.toNanos());
        assertThat(loop.firstFailure().orElseThrow()).hasMessageContaining("no answer after PT0.05S");
    }

    @Test
    void run_refusals_areNotFast() {
        readers.next = CompletableFuture.failedFuture(new IllegalStateException("refused"));

        loop.run(SECONDS);

        assertThat(loop.failures()).isEqualTo(readers.sent.size());
        assertThat(loop.figures("read").get("read_p50_ms").doubleValue())
                .isGreaterThanOrEqualTo(PATIENCE.toMillis() * 0.99);
    }

    @Test
    void run_afterUnansweredReads_doesNotCountTheirLateAnswers() {
        readers.next = new CompletableFuture<>();
        loop.run(SECONDS);
        List<CompletableFuture<byte[]>> late = List.copyOf(readers.sent);
        readers.sent.clear();
        readers.next = CompletableFuture.completedFuture(new byte[1]);

        loop.run(dueNanos -> {
            late.forEach(answer -> answer.complete(new byte[1_000]));
            return readers.sent.size() < 20;
        });

        assertThat(figure("reads")).isEqualTo(20);
        assertThat(loop.failures()).isZero();
        assertThat(loop.answerBytes()).isEqualTo(1);
    }

    @Test
    void run_answerBeingCounted_isAwaited() {
        readers.next = CompletableFuture.supplyAsync(
                () -> new byte[1], CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS));
        AtomicInteger counted = new AtomicInteger();
        OpenLoop slow = new OpenLoop(readers, 2_000, 1, (dueNanos, nanos, failed) -> {
            LockSupport.parkNanos(100_000_000);
            counted.incrementAndGet();
        });

        slow.run(dueNanos -> readers.sent.isEmpty());

        assertThat(counted).hasValue(1);
    }

    @Test
    void run_cancelledReads_doNotCount() {
        readers.next = new CompletableFuture<>();
        readers.next.cancel(false);

        loop.run(SECONDS);

        assertThat(figure("reads")).isZero();
        assertThat(loop.failures()).isZero();
    }
}
