package io.thalweg.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
    @Test
    void until_conditionComesTrue_returnsThen() {
        AtomicInteger looks = new AtomicInteger();
        Await.until("the third look", () -> looks.incrementAndGet() == 3);
        assertThat(looks).hasValue(3);
    }

    @Test
    void until_conditionFails_namesTheEvent() {
        assertThatThrownBy(() -> Await.until("rain", () -> {
                    throw new IOException("no sky");
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("failed while waiting for rain")
                .hasRootCauseMessage("no sky");
    }

    @Test
    void until_interrupted_staysInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> Await.until("rain", () -> false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("interrupted while waiting for rain");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void get_failedFuture_failsAsTheFutureDoes() {
        CompletableFuture<String> failed = CompletableFuture.failedFuture(new IOException("no sky"));
        assertThatThrownBy(() -> Await.get(failed))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("no sky");
    }

    @Test
    void blocked_threadThatEnds_isNotBlocked() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        Thread waits = new Thread(() -> Await.zero("the latch", latch));
        waits.start();
        Await.blocked(waits);
        latch.countDown();
        Await.end(waits);
        assertThatThrownBy(() -> Await.blocked(waits)).hasMessageContaining("ended instead of waiting");
    }
}
