package io.thalweg.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import org.junit.jupiter.api.Test;

class JobPriorityTest {
    private final FutureTask<String> snapshot = new FutureTask<>(() -> "state");
    private final RunnableFuture<String> taking = JobPriority.taking(snapshot);

    @Test
    void taking_isRun_lowersThePriorityOfItsThread() throws Exception {
        int[] seen = new int[1];
        FutureTask<String> looks = new FutureTask<>(() -> {
            seen[0] = Thread.currentThread().getPriority();
            return "state";
        });
        RunnableFuture<String> lowered = JobPriority.taking(looks);
        Thread thread = new Thread(lowered);
        thread.start();
        thread.join();
        assertThat(lowered.get()).isEqualTo("state");
        assertThat(seen[0]).isEqualTo(Thread.MIN_PRIORITY);
    }

    @Test
    void taking_isCancelledBeforeItRuns_cancelsTheSnapshot() {
        assertThat(taking.cancel(true)).isTrue();
        assertThat(snapshot.isCancelled()).isTrue();
        assertThat(taking.isCancelled()).isTrue();
    }

    /** Flink gets the state from the future to delete it. */
    @Test
    void taking_isCancelledWhenTheStateIsWritten_stillHasIt() throws Exception {
        snapshot.run();
        assertThat(taking.cancel(true)).isFalse();
        Thread thread = new Thread(taking);
        thread.start();
        assertThat(taking.get()).isEqualTo("state");
        thread.join();
    }
}
