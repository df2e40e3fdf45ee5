package io.thalweg.jobs.function;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Await.TIMEOUT_SECONDS)
class CallWatchTest {
    private final List<String> reports = new ArrayList<>();
    private final CallWatch.Overdue overdue = new CallWatch.Overdue() {
        @Override
        public void late() {
            reports.add("late");
        }

        @Override
        public void stuck() {
            reports.add("stuck");
        }
    };

    private static void lookAt(CallWatch watch, long seconds) {
        watch.look(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void look_callDoesNotReturn_isReportedLateAndThenStuckOnce() {
        CallWatch watch = new CallWatch(Duration.ofSeconds(10), overdue);
        watch.begin();
        lookAt(watch, 100);
        lookAt(watch, 110);
        assertThat(reports).isEmpty();
        lookAt(watch, 111);
        lookAt(watch, 120);
        assertThat(reports).containsExactly("late");
        lookAt(watch, 121);
        lookAt(watch, 1_000);
        assertThat(reports).containsExactly("late", "stuck");
    }

    @Test
    void look_longLimit_isStuckAfterThirtySeconds() {
        CallWatch watch = new CallWatch(Duration.ofMinutes(10), overdue);
        watch.begin();
        lookAt(watch, 0);
        lookAt(watch, 601);
        lookAt(watch, 630);
        assertThat(reports).containsExactly("late");
        lookAt(watch, 631);
        assertThat(reports).containsExactly("late", "stuck");
    }

    @Test
    void look_callsThatReturn_areNotReportedHoweverMany() {
        CallWatch watch = new CallWatch(Duration.ofSeconds(10), overdue);
        for (int second = 0; second < 100; second++) {
            watch.begin();
            lookAt(watch, second);
            watch.end();
        }
        lookAt(watch, 1_000); // no call for a long time
        watch.begin();
        lookAt(watch, 1_001);
        assertThat(reports).isEmpty();
    }

    @Test
    void look_anotherCallIsLate_isReportedToo() {
        CallWatch watch = new CallWatch(Duration.ofSeconds(10), overdue);
        watch.begin();
        lookAt(watch, 0);
        lookAt(watch, 11);
        watch.end();
        watch.begin();
        lookAt(watch, 12);
        lookAt(watch, 23);
        assertThat(reports).containsExactly("late", "late");
    }

    @Test
    void start_callDoesNotReturn_isReportedByAnotherThread() throws InterruptedException {
        CountDownLatch late = new CountDownLatch(1);
        CountDownLatch stuck = new CountDownLatch(1);
        CallWatch.Overdue both = new CallWatch.Overdue() {
            @Override
            public void late() {
                late.countDown();
            }

            @Override
            public void stuck() {
                stuck.countDown();
            }
        };
        try (CallWatch watch = CallWatch.start(Duration.ofMillis(20), both)) {
            watch.begin();
            late.await();
            stuck.await();
            watch.end();
        }
    }
}
