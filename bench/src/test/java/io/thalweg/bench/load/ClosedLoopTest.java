package io.thalweg.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {
    @Test
    void readsPerSecond_someRefused_countsTheOthers() throws Exception {
        AtomicLong answered = new AtomicLong();
        Readers readers = new Readers() {
            @Override
            public int requests() {
                return 2;
            }

            @Override
            public CompletableFuture<byte[]> read(int request) {
                if (request == 0) {
                    return CompletableFuture.failedFuture(new IllegalStateException("refused"));
                }
                answered.incrementAndGet();
                return CompletableFuture.completedFuture(new byte[0]);
            }
        };

        double perSecond = ClosedLoop.readsPerSecond(readers, 0.1);

        assertThat(perSecond).isPositive().isLessThanOrEqualTo(answered.get() / 0.1);
    }

    @Test
    void run_slowToDraw_recordsOnlyTheCalls() throws Exception {
        Histogram nanos = new Histogram(3);

        long begin = System.nanoTime();
        ClosedLoop.run(0.1, new SplittableRandom(1), random -> {
            LockSupport.parkNanos(20_000_000);
            return new ClosedLoop.Call(nanos, random::nextInt);
        });
        long took = System.nanoTime() - begin;

        assertThat(nanos.getTotalCount()).isPositive();
        assertThat(nanos.getMean() * nanos.getTotalCount()).isLessThan(took - nanos.getTotalCount() * 15e6);
    }

    @Test
    void run_callFails_fails() {
        assertThatThrownBy(() -> ClosedLoop.run(
                        0.01,
                        new SplittableRandom(1),
                        random -> new ClosedLoop.Call(new Histogram(3), () -> {
                            throw new IllegalStateException("a wrong row");
                        })))
                .hasMessage("a wrong row");
    }
}
