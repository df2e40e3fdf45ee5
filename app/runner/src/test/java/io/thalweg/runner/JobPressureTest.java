package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.live.inspect.JobInspection;
import io.thalweg.live.inspect.JobState;
import io.thalweg.live.inspect.JobState.Checkpoints;
import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.server.telemetry.Metrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobPressureTest {
    private long seconds;
    private JobInspection inspection = List::of;
    private final JobPressure pressure =
            new JobPressure(() -> inspection.jobs(), () -> TimeUnit.SECONDS.toNanos(seconds));

    private static JobState state(long atMs, long restarts, long busyMs, long waitedMs) {
        Stage reader = new Stage("a", "Source: read", List.of(new Subtask(0, waitedMs, atMs - waitedMs, 0, 0)));
        Stage writer = new Stage(
                "b",
                "write",
                List.of("a"),
                List.of(new Subtask(busyMs, 0, atMs - busyMs, 0, 0), new Subtask(0, 0, atMs, 0, 0)),
                JobState.Work.NONE);
        return new JobState("job", "run", atMs, restarts, List.of(reader, writer), new Checkpoints(0, 0, 0), List.of());
    }

    private String shown() {
        Metrics metrics = new Metrics();
        pressure.register(metrics);
        return new String(metrics.expose(), StandardCharsets.UTF_8);
    }

    private void sample(JobState state) {
        sample(() -> List.of(state));
    }

    private void sample(JobInspection answer) {
        inspection = answer;
        seconds++;
        pressure.sample();
    }

    @Test
    void sample_twice_showsTheBusiestAndTheMostDelayed() {
        sample(state(500, 0, 0, 0)); // stale, and compared with nothing
        sample(state(1_000, 0, 0, 0));
        assertThat(shown()).isEmpty();

        sample(state(11_000, 0, 9_000, 2_500));

        assertThat(shown()).contains("thalweg_job_busy_ratio 0.9", "thalweg_job_back_pressured_ratio 0.25");
    }

    @Test
    void sample_restartOrNoAnswer_showsNothing() {
        sample(state(500, 0, 0, 0)); // stale, and compared with nothing
        sample(state(1_000, 0, 0, 0));
        sample(state(10_000, 1, 9_000, 0));
        assertThat(shown()).isEmpty();

        sample(state(20_000, 1, 18_000, 0));
        assertThat(shown()).contains("thalweg_job_busy_ratio 0.9");
        sample(() -> {
            throw new IOException("away");
        });
        assertThat(shown()).isEmpty();

        sample(state(40_000, 1, 18_000, 0));
        sample(List::of); // it has ended
        sample(state(60_000, 1, 18_000, 0));
        assertThat(shown()).isEmpty();
        sample(() -> {
            throw new NumberFormatException("not a number");
        });
        assertThat(shown()).isEmpty();
    }
}
