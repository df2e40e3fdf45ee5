package io.thalweg.server.console;

import io.thalweg.live.inspect.JobState;
import io.thalweg.live.inspect.JobState.Checkpoint;
import io.thalweg.live.inspect.JobState.CheckpointFailure;
import io.thalweg.live.inspect.JobState.Checkpoints;
import io.thalweg.live.inspect.JobState.Filter;
import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.live.inspect.JobState.Work;
import io.thalweg.live.inspect.JobState.Worker;
import io.thalweg.server.health.JobProbe;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A job of two stages whose clock advances 6 s between two readings. */
final class FakeJob implements JobProbe {
    private static final long STEP_MS = 6_000;

    private final AtomicLong looks = new AtomicLong();
    volatile String name = "thalweg run demand";
    volatile String stage = "accumulate demand -> store demand";
    /** Of the second stage; its first subtask does all of the work. */
    volatile double busy = 0.4;

    volatile long restarts;
    volatile boolean runs = true;
    volatile boolean answers = true;
    volatile @Nullable String trouble;
    /** A definition whose events the first stage filters: 90 a second are kept, 10 dropped. */
    volatile @Nullable String filtered;

    @Override
    public Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    @Override
    public List<JobState> jobs() throws IOException {
        if (!answers) {
            throw new IOException("Flink's REST endpoint is not up");
        }
        long look = looks.incrementAndGet();
        long ms = STEP_MS * look;
        Checkpoints checkpoints = new Checkpoints(
                10_000,
                look,
                100 * look,
                1,
                new Checkpoint(ms - 4_000, 120, 3_200_000),
                new CheckpointFailure(1_000, "the store is away"));
        Worker worker = new Worker("w", 4, (long) (0.3 * ms), ms / 100, 200 << 20, 1 << 30);
        return runs
                ? List.of(new JobState("1", name, ms, restarts, stages(ms), checkpoints, List.of(worker)))
                : List.of();
    }

    private List<Stage> stages(long ms) {
        return List.of(
                new Stage(
                        "1",
                        "Source: events -> route",
                        List.of(),
                        List.of(subtask(ms, 0.2, 0.1, 0, 100), subtask(ms, 0.2, 0.1, 0, 100)),
                        work(ms)),
                new Stage(
                        "2",
                        stage,
                        List.of("1"),
                        List.of(subtask(ms, busy, 0, 200, 0), subtask(ms, 0.05, 0, 0, 0)),
                        Work.NONE));
    }

    private Work work(long ms) {
        String definition = filtered;
        return definition == null
                ? Work.NONE
                : new Work(List.of(new Filter(definition, 90 * ms / 1_000, 10 * ms / 1_000)), 0, 0, List.of());
    }

    /** A subtask with shares of the time, and records a second. */
    private static Subtask subtask(long ms, double busy, double held, long in, long out) {
        return new Subtask(
                (long) (busy * ms),
                (long) (held * ms),
                (long) ((1 - busy - held) * ms),
                in * ms / 1_000,
                out * ms / 1_000);
    }
}
