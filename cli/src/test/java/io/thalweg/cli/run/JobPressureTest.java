package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.live.inspect.JobState;
import io.thalweg.live.inspect.JobState.Checkpoints;
import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.server.Metrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobPressureTest {
    private final JobPressure pressure = new JobPressure();

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

    private void look(long atMs, JobState state) throws InterruptedException {
        pressure.look(() -> List.of(state), atMs);
    }

    @Test
    void look_twice_showsTheBusiestAndTheMostDelayed() throws InterruptedException {
        look(0, state(0, 0, 0, 0));
        assertThat(shown()).isEmpty();

        look(5_000, state(5_000, 0, 5_000, 0)); // too soon
        look(10_000, state(10_000, 0, 9_000, 2_500));

        assertThat(shown()).contains("thalweg_job_busy_ratio 0.9", "thalweg_job_back_pressured_ratio 0.25");
    }

    @Test
    void look_restartOrNoAnswer_showsNothing() throws InterruptedException {
        look(0, state(0, 0, 0, 0));
        look(10_000, state(10_000, 1, 9_000, 0));
        assertThat(shown()).isEmpty();

        look(20_000, state(20_000, 1, 18_000, 0));
        assertThat(shown()).contains("thalweg_job_busy_ratio 0.9");
        pressure.look(
                () -> {
                    throw new IOException("away");
                },
                30_000);
        assertThat(shown()).isEmpty();

        pressure.look(List::of, 40_000); // it has ended
        look(50_000, state(50_000, 1, 18_000, 0));
        assertThat(shown()).isEmpty();
    }
}
