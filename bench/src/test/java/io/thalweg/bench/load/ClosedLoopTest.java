package io.thalweg.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
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

            @Override
            public void close() {
                // Holds nothing.
            }
        };

        double perSecond = ClosedLoop.readsPerSecond(readers, 0.1);

        assertThat(perSecond).isPositive().isLessThanOrEqualTo(answered.get() / 0.1);
    }

    @Test
    void run_calls_recordsOnlyTheirOwnTime() throws Exception {
        Histogram nanos = new Histogram(3);

        ClosedLoop.run(0.01, new SplittableRandom(1), random -> new ClosedLoop.Call(nanos, () -> random.nextInt()));

        assertThat(nanos.getTotalCount()).isPositive();
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
