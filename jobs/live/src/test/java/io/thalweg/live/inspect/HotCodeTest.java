package io.thalweg.live.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HotCodeTest {
    private static final Duration SPAN = Duration.ofSeconds(2);

    private final AtomicBoolean ended = new AtomicBoolean();
    private final Thread worker = new Thread(this::work);
    private long sum;

    @BeforeEach
    void start() {
        worker.setDaemon(true);
        worker.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        ended.set(true);
        worker.join();
    }

    private void work() {
        while (!ended.get()) {
            compute();
            sum += "x".repeat(100_000).length(); // a method of the JDK allocates
        }
    }

    private void compute() {
        long next = sum;
        for (int i = 0; i < 1_000_000; i++) {
            next = next * 31 + i;
        }
        sum = next;
    }

    @Test
    void record_aThreadThatComputesAndAllocates_namesItsMethods() throws Exception {
        HotCode code = HotCode.record(SPAN).orElseThrow();

        assertThat(code.computes().get(0).method()).isEqualTo(HotCodeTest.class.getName() + ".compute");
        assertThat(code.computes().get(0).share()).isBetween(0.5, 1.0);
        assertThat(code.allocates().get(0).method()).isEqualTo(HotCodeTest.class.getName() + ".work");
        assertThat(code.allocates().get(0).share()).isBetween(0.5, 1.0);
    }
}
