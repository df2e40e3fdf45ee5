package io.thalweg.live.inspect;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;
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
     * A stage of chained operators: each of its subtasks is one thread.
     *
     * @param name the names of its operators
     * @param inputs ids of the stages that send to it
     */
    public record Stage(String id, String name, List<String> inputs, List<Subtask> subtasks, Work work) {
        public Stage {
            inputs = inputs == null ? List.of() : List.copyOf(inputs); // JSON of an earlier version contains neither
            work = Objects.requireNonNullElse(work, Work.NONE);
        }

        /** A stage of operators that report no work, with unknown inputs. */
        public Stage(String id, String name, List<Subtask> subtasks) {
            this(id, name, List.of(), subtasks, Work.NONE);
        }
    }

    /**
     * The counts of a stage's operators, over all subtasks.
     *
     * @param filters of definitions with {@code where}
     * @param translateMs the time in which an ingest translated messages, with its function
     * @param writeMs the time in which an ingest passed rows to its sink
     * @param batches of views whose rows are written to a store in batches
     */
    public record Work(List<Filter> filters, long translateMs, long writeMs, List<Batches> batches) {
        /** No work. */
        public static final Work NONE = new Work(List.of(), 0, 0, List.of());

        public Work {
            filters = List.copyOf(filters);
            batches = List.copyOf(batches);
        }

        /** Returns what was added since earlier work of the same operators. */
        Work since(Work before) {
            return new Work(
                    added(filters, before.filters, Filter::definition, Filter::since),
                    translateMs - before.translateMs,
                    writeMs - before.writeMs,
                    added(batches, before.batches, Batches::view, Batches::since));
        }

        private static <T> List<T> added(
                List<T> after, List<T> before, Function<T, String> name, BinaryOperator<T> since) {
            Map<String, T> earlier = before.stream().collect(Collectors.toMap(name, Function.identity()));
            return after.stream()
                    .map(now -> {
                        T then = earlier.get(name.apply(now));
                        return then == null ? now : since.apply(now, then);
                    })
                    .toList();
        }
    }

    /** Events that {@code where} of a definition has kept and dropped; in an ingest, its function may drop some, too. */
    public record Filter(String definition, long kept, long dropped) {
        private Filter since(Filter before) {
            return new Filter(definition, kept - before.kept, dropped - before.dropped);
        }
    }

    /**
     * Writes to a store.
     *
     * @param rows in all of them
     * @param writeMs the sum of their durations
     * @param most rows that a write may contain: {@code load.batch_rows}
     * @param inFlight writes of a subtask at a time: {@code load.in_flight}; 0 = unknown
     * @param targetMs the duration beyond which fewer rows are sent at a time: {@code load.target_latency}; 0 = unknown
     */
    public record Batches(String view, long writes, long rows, long writeMs, long most, long inFlight, long targetMs) {
        private Batches since(Batches before) {
            return new Batches(
                    view,
                    writes - before.writes,
                    rows - before.rows,
                    writeMs - before.writeMs,
                    most,
                    inFlight,
                    targetMs);
        }

        /** The mean duration of a write, ms. */
        double meanMs() {
            return (double) writeMs / writes;
        }
    }

    /**
     * How a subtask spent its time, ms, and how much it has received and sent. A record is counted as Flink counts it: a block of
     * events, not an event.
     *
     * @param backPressuredMs it waited for a later stage
     * @param idleMs it waited for an earlier stage or the source
     * @param task its own thread
     * @param fetcher the thread that fetches from Kafka and decodes for it
     */
    public record Subtask(
            long busyMs,
            long backPressuredMs,
            long idleMs,
            long recordsIn,
            long recordsOut,
            ThreadTime task,
            ThreadTime fetcher) {
        public Subtask {
            task = Objects.requireNonNullElse(task, ThreadTime.UNKNOWN);
            fetcher = Objects.requireNonNullElse(fetcher, ThreadTime.UNKNOWN);
        }

        /** A subtask whose threads are unknown. */
        public Subtask(long busyMs, long backPressuredMs, long idleMs, long recordsIn, long recordsOut) {
            this(busyMs, backPressuredMs, idleMs, recordsIn, recordsOut, ThreadTime.UNKNOWN, ThreadTime.UNKNOWN);
        }
    }

    /**
     * A thread's time so far.
     *
     * @param cpuMs it computed; 0 if that is unknown, or there is no such thread
     * @param waitedMs it had work and no processor; also 0 if the operating system does not count it
     */
    public record ThreadTime(long cpuMs, long waitedMs) {
        static final ThreadTime UNKNOWN = new ThreadTime(0, 0);
    }

    /**
     * Checkpoints so far.
     *
     * @param everyMs the configured interval; 0 = no checkpoints
     * @param durationMs the sum of the durations of completed checkpoints
     * @param last the newest completed one; null = none
     * @param lastFailure the newest failed one; null = none
     */
    public record Checkpoints(
            long everyMs,
            long completed,
            long durationMs,
            long failed,
            @Nullable Checkpoint last,
            @Nullable CheckpointFailure lastFailure) {
        /** Creates totals without the last checkpoints. */
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
