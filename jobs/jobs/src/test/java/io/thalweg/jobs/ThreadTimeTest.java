package io.thalweg.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Await.TIMEOUT_SECONDS)
class ThreadTimeTest {
    private static final long SPIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @Test
    void cpuNanos_ofAThreadThatComputes_grows() {
        ThreadTime own = ThreadTime.ofThisThread();
        long begun = own.cpuNanos();
        while (own.cpuNanos() - begun < SPIN_NANOS) {
            Thread.onSpinWait();
        }
        assertThat(own.waitedNanos()).isNotNegative();
    }

    @Test
    void time_ofAnotherThread_isItsOwnUntilItEnds() throws Exception {
        AtomicReference<ThreadTime> time = new AtomicReference<>();
        CountDownLatch read = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        Thread waits = new Thread(() -> {
            time.set(ThreadTime.ofThisThread());
            begun.countDown();
            try {
                read.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        waits.start();
        begun.await();
        ThreadTime of = Objects.requireNonNull(time.get());
        long first = of.cpuNanos();
        ThreadTime own = ThreadTime.ofThisThread();
        long until = own.cpuNanos() + 5 * SPIN_NANOS;
        while (own.cpuNanos() < until) {
            Thread.onSpinWait();
        }
        assertThat(first).isPositive();
        assertThat(of.cpuNanos() - first)
                .as("it waits while this thread computes")
                .isLessThan(SPIN_NANOS);
        read.countDown();
        waits.join();
        assertThat(of.cpuNanos()).isZero();
    }
}
