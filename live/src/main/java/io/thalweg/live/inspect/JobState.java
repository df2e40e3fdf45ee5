package io.thalweg.live.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running job at one moment. Counts and times are totals since its tasks or processes started, so two states show what happened between
 * them.
 *
 * @param atMs when the state was read, epoch ms
 * @param restarts of the job so far
 * @param stages in the order of the data
 * @param processes that run tasks
 */
public record JobState(
        String id,
        String name,
        long atMs,
        long restarts,
        List<Stage> stages,
        Checkpoints checkpoints,
        List<Worker> processes) {
    /** Whether Flink has reported about every task and process: it gathers metrics only after the first request for them. */
    public boolean isComplete() {
        return stages.stream()
                        .flatMap(stage -> stage.subtasks().stream())
                        .allMatch(subtask -> subtask.busyMs() + subtask.backPressuredMs() + subtask.idleMs() > 0)
                && processes.stream().allMatch(process -> process.cpuMs() > 0);
    }

    /**
     * Operators that are chained: each of its subtasks is one thread.
     *
     * @param name those of its operators
     */
    public record Stage(String id, String name, List<Subtask> subtasks) {}

    /**
     * How a subtask spent its time, ms, and how much it has received and sent. A record here is what Flink counts as one: a block of
     * events, not an event.
     *
     * @param backPressuredMs it waited for a later stage
     * @param idleMs it waited for an earlier stage or the source
     */
    public record Subtask(long busyMs, long backPressuredMs, long idleMs, long recordsIn, long recordsOut) {}

    /**
     * Checkpoints so far.
     *
     * @param everyMs the configured interval; 0 = there are none
     * @param durationMs of all completed ones, added up
     * @param last the newest completed one; null = there is none
     * @param lastFailure the newest failed one; null = there is none
     */
    public record Checkpoints(
            long everyMs,
            long completed,
            long durationMs,
            long failed,
            @Nullable Checkpoint last,
            @Nullable CheckpointFailure lastFailure) {
        /** Without their last ones. */
        public Checkpoints(long everyMs, long completed, long durationMs) {
            this(everyMs, completed, durationMs, 0, null, null);
        }
    }

    /**
     * A completed checkpoint.
     *
     * @param atMs when it was completed, epoch ms
     * @param durationMs from its trigger to its completion
     * @param bytes of the state that it can be restored from
     */
    public record Checkpoint(long atMs, long durationMs, long bytes) {}

    /** A checkpoint that failed, epoch ms. */
    public record CheckpointFailure(long atMs, String cause) {}

    /**
     * A process.
     *
     * @param processors that the machine or its container has
     * @param heapUsed bytes, with garbage that is not collected yet
     * @param heapMax bytes
     */
    public record Worker(String id, int processors, long cpuMs, long gcMs, long heapUsed, long heapMax) {}
}
