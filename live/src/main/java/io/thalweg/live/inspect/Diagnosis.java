package io.thalweg.live.inspect;

import io.thalweg.live.inspect.Finding.Domain;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.JobSpan.SubtaskLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Judges a job by what it did while it was observed. A job with time to spare has no findings, unless its checkpoints follow each
 * other too closely.
 *
 * <p><b>How the bottleneck is found.</b> A stage without time to spare holds up the stages before it, which wait for it; so the last stage
 * without time to spare is the cause. Its subtasks tell why: one of them has most of the work, or all wait for something outside of the
 * process, or all compute.
 */
public final class Diagnosis {
    /** A thread that is busy for this share of the time has none to spare. */
    private static final double SATURATED = 0.85;
    /** The other subtasks of a stage do less than this part of what the busiest does: the work is divided unevenly. */
    private static final double UNEVEN = 0.5;
    /** A busy thread that computes for less than this part of the time waits for something. */
    private static final double COMPUTES = 0.5;

    private static final double FULL_MACHINE = 0.9;
    private static final double MUCH_GC = 0.1;
    /** A job whose stages are all less busy has time for its garbage. */
    private static final double BUSY = 0.5;

    private static final double FULL_HEAP = 0.6;
    private static final double MUCH_CHECKPOINTING = 0.25;
    /** Between the checkpoints that are proposed there is so many times the time that one takes. */
    private static final double CHECKPOINT_PAUSE = 20;

    private static final long LEAST_EVERY_S = 10;

    private Diagnosis() {}

    /** What keeps the job from its work, the most certain first; empty if it keeps up. */
    public static List<Finding> of(JobSpan span) {
        if (span.restarts() > 0) {
            return List.of(restarts(span));
        }
        List<Finding> findings = new ArrayList<>();
        garbage(span).ifPresent(findings::add);
        checkpoints(span).ifPresent(findings::add);
        if (findings.isEmpty()) { // garbage and checkpoints take time from every stage
            bottleneck(span).ifPresent(findings::add);
        }
        return findings;
    }

    /** The stage that holds up the job; empty if every stage keeps up. */
    public static Optional<StageLoad> slowest(JobSpan span) {
        StageLoad slowest = null;
        for (StageLoad stage : span.stages()) {
            if (stage.busiest() >= SATURATED) {
                slowest = stage;
            }
        }
        return Optional.ofNullable(slowest);
    }

    private static Finding restarts(JobSpan span) {
        return new Finding(
                Domain.FAILURES,
                "the job restarted %d %s in %.0f s"
                        .formatted(span.restarts(), span.restarts() == 1 ? "time" : "times", span.seconds()),
                "the job's process and its log report the cause of each restart; remove it, then observe again",
                "a job that restarts reads events again instead of new ones");
    }

    private static Optional<Finding> garbage(JobSpan span) {
        boolean isBusy = span.stages().stream().anyMatch(stage -> stage.busiest() >= BUSY);
        if (!isBusy || span.gcShare() < MUCH_GC) {
            return Optional.empty();
        }
        String evidence = "%s of the time goes into collecting garbage; %s of the heap of %s is always in use"
                .formatted(percent(span.gcShare()), percent(span.heapAlwaysUsed()), megabytes(span.heapMax()));
        return Optional.of(
                span.heapAlwaysUsed() >= FULL_HEAP
                        ? new Finding(
                                Domain.GARBAGE_COLLECTION,
                                evidence,
                                "more heap: THALWEG_JAVA_OPTS=-Xmx%dm, on a cluster taskmanager.memory.task.heap.size"
                                        .formatted((2 * span.heapMax()) >> 20),
                                "the live objects fit, so the collector runs less often")
                        : new Finding(
                                Domain.GARBAGE_COLLECTION,
                                evidence,
                                "fewer objects per event, most likely in a function of your own; a recording shows where: jcmd PID JFR.start duration=30s filename=tune.jfr",
                                "the heap is large enough; what fills it is garbage"));
    }

    private static Optional<Finding> checkpoints(JobSpan span) {
        double share = span.checkpoints() * span.checkpointMs() / 1e3 / span.seconds();
        long proposed = Math.max(LEAST_EVERY_S, (long) Math.ceil(CHECKPOINT_PAUSE * span.checkpointMs() / 1e3));
        if (share < MUCH_CHECKPOINTING || proposed * 1_000 <= span.checkpointEveryMs()) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                Domain.CHECKPOINTS,
                "a checkpoint is in progress %s of the time: %d in %.0f s, each of %.0f ms"
                        .formatted(
                                percent(Math.min(1, share)), span.checkpoints(), span.seconds(), span.checkpointMs()),
                "checkpoints.every: %ds instead of %s".formatted(proposed, millis(span.checkpointEveryMs())),
                "at most %s of the time; after a failure, up to %d s of events are read again"
                        .formatted(percent(span.checkpointMs() / 1e3 / proposed), proposed)));
    }

    private static Optional<Finding> bottleneck(JobSpan span) {
        return slowest(span).map(stage -> {
            if (stage.busyOthers() < UNEVEN * stage.busiest()) {
                return uneven(stage);
            }
            return span.cores() < COMPUTES * busyThreads(span) ? waits(span, stage) : computes(span, stage);
        });
    }

    private static double busyThreads(JobSpan span) {
        return span.stages().stream().mapToDouble(StageLoad::busyThreads).sum();
    }

    private static Finding uneven(StageLoad stage) {
        String evidence = "one of the %d subtasks of '%s' is busy %s of the time, the others %s"
                .formatted(
                        stage.subtasks().size(), stage.name(), percent(stage.busiest()), percent(stage.busyOthers()));
        long without = stage.subtasks().stream()
                .map(SubtaskLoad::recordsOut)
                .filter(out -> out == 0)
                .count();
        if (stage.isReader()) {
            return new Finding(
                    Domain.PARTITIONING,
                    without == 0
                            ? evidence
                            : evidence
                                    + "; %d of them %s read nothing".formatted(without, without == 1 ? "has" : "have"),
                    "at least as many partitions in the topic as the job has subtasks, and a key that spreads the events; or a lower --parallelism",
                    "every subtask reads an equal share");
        }
        return new Finding(
                Domain.PARTITIONING,
                evidence,
                "a key that spreads the events: one key or place has most of them. Filter it out with where, or add an entity that divides it",
                "up to %.1f times the events"
                        .formatted(stage.busiest() * stage.subtasks().size() / stage.busyThreads()));
    }

    private static Finding waits(JobSpan span, StageLoad stage) {
        return new Finding(
                Domain.REMOTE_CALLS,
                "'%s' is occupied %s of the time%s, but all threads together compute for %.1f of %.1f occupied ones: the stage waits for a store or a service"
                        .formatted(
                                stage.label(),
                                percent(stage.busiest()),
                                waiting(span, stage),
                                span.cores(),
                                busyThreads(span)),
                "a faster or nearer store or service, more calls in flight (load.in_flight), larger batches (load.batch_rows), or a lookup table instead of a call in a function",
                "the stage waits less; its threads have the time to do more");
    }

    private static Finding computes(JobSpan span, StageLoad stage) {
        String evidence = "'%s' computes %s of the time%s; %.1f of %d processors are in use"
                .formatted(
                        stage.name(), percent(stage.busiest()), waiting(span, stage), span.cores(), span.processors());
        if (span.cores() >= FULL_MACHINE * span.processors()) {
            return new Finding(
                    Domain.PARALLELISM,
                    evidence,
                    "more or faster processors, or fewer windows, rings and products in the view",
                    "the machine is full: more threads would not help");
        }
        int parallelism = stage.subtasks().size();
        return new Finding(
                Domain.PARALLELISM,
                evidence,
                "--parallelism %d instead of %d".formatted(parallelism + 1, parallelism),
                "up to %.1f times the events, while processors are idle".formatted((parallelism + 1.0) / parallelism));
    }

    /** How long the stages before it wait for a stage. */
    private static String waiting(JobSpan span, StageLoad stage) {
        double most = 0;
        for (StageLoad before : span.stages()) {
            if (before.name().equals(stage.name())) {
                break;
            }
            most = Math.max(most, before.backPressured());
        }
        return most < 0.01 ? "" : ", and the stages before it wait for it %s of the time".formatted(percent(most));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }

    private static String megabytes(long bytes) {
        return "%,d MB".formatted(bytes >> 20);
    }

    private static String millis(long ms) {
        return ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
    }
}
