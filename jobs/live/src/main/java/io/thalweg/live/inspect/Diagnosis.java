package io.thalweg.live.inspect;

import io.thalweg.live.inspect.Finding.Domain;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.JobSpan.SubtaskLoad;
import io.thalweg.live.inspect.JobState.Batches;
import io.thalweg.live.inspect.JobState.Filter;
import io.thalweg.live.inspect.JobState.Work;
import io.thalweg.model.deployment.DeploymentConfig.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Diagnoses a job by what it did while it was observed. A job with time to spare has no findings, unless its checkpoints follow each other
 * too closely.
 *
 * <p><b>How the bottleneck is found.</b> A stage without time to spare delays the stages before it, which wait for it; so the last stage
 * without time to spare is the cause. Its subtasks show why: one of them does most of the work, or all wait for something outside of the
 * process, or all compute, or other processes leave them no processor.
 *
 * <p><b>Thresholds.</b> Only the constants of this class decide what is found. {@code docs/reference/cli.md} lists them.
 */
public final class Diagnosis {
    /** A thread that is busy for this share of the time has none to spare. */
    private static final double SATURATED = 0.85;
    /** If the other subtasks of a stage do less than this part of the work of the busiest, the work is divided unevenly. */
    private static final double UNEVEN = 0.5;
    /** A busy thread that computes for less than this part of the time waits for something. */
    private static final double COMPUTES = 0.5;

    private static final double FULL_MACHINE = 0.9;
    /** Threads that have no processor for this part of the time in which they have work are starved by other processes. */
    private static final double STARVED = 0.25;

    /** A filter is judged after this many events. */
    private static final long JUDGED_EVENTS = 1_000;
    /** A store answers a write of this many rows about as fast as one of a single row. */
    private static final long SMALL_BATCH = 500;
    /** Writes that contain this part of the rows they may contain are as large as the limit permits. */
    private static final double FILLED = 0.5;

    private static final double MUCH_GC = 0.1;
    /** A collector that takes most of the time is the cause even if other processes slow it down. */
    private static final double MOST_GC = 0.5;
    /** A job whose stages are all less busy than this has time for its garbage. */
    private static final double BUSY = 0.5;

    private static final double FULL_HEAP = 0.6;
    private static final double MUCH_CHECKPOINTING = 0.25;
    /** The proposed interval between checkpoints is this many times the duration of one. */
    private static final double CHECKPOINT_PAUSE = 20;

    private static final long LEAST_EVERY_S = 10;

    private static final String HOT_KEY =
            "a key that spreads the events: one key has most of them. Filter it out with where, or add an entity that divides it";
    private static final String HOT_PLACE =
            "where, so that the busiest place has fewer events, or a view of its own for it: a hexagon is always counted by one subtask, so neither entities nor --parallelism divide it";

    private Diagnosis() {}

    /** Returns what prevents the job from keeping up, the most certain first; empty if it keeps up. */
    public static List<Finding> of(JobSpan span) {
        if (span.restarts() > 0) {
            return List.of(restarts(span));
        }
        Optional<StageLoad> slowest = slowest(span);
        List<Finding> findings = new ArrayList<>();
        slowest.filter(Diagnosis::isUneven).map(Diagnosis::uneven).ifPresent(findings::add);
        garbage(span).ifPresent(findings::add);
        checkpoints(span).ifPresent(findings::add);
        if (findings.isEmpty()) { // garbage and checkpoints take time from every subtask, uneven or not
            slowest.ifPresent(stage -> findings.addAll(causes(span, stage)));
        }
        return findings;
    }

    /** Returns the stage that delays the job; empty if every stage keeps up. */
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

    /** Whether other processes take the processors that the threads of a stage need. */
    private static boolean isStarved(JobSpan span, StageLoad stage) {
        return stage.starved() >= STARVED && span.cores() < FULL_MACHINE * span.processors();
    }

    private static Optional<Finding> garbage(JobSpan span) {
        double collects = Math.min(1, span.gcShare());
        boolean isBusy = span.stages().stream() // a thread without work cannot start any while the collector stops it
                .anyMatch(stage -> 1 - (1 - stage.busiest()) * (1 - collects) >= BUSY);
        boolean isMuch = span.gcShare() >= MOST_GC || (1 - span.starved()) * span.gcShare() >= MUCH_GC;
        if (!isBusy || !isMuch) {
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
                                "fewer objects per event, most likely in a function of your own; on a cluster, record where: jcmd PID JFR.start duration=30s filename=tune.jfr",
                                "the heap is large enough; what fills it is garbage"));
    }

    private static Optional<Finding> checkpoints(JobSpan span) {
        double share = span.checkpoints() * span.checkpointMs() / 1e3 / span.seconds();
        double unstarved = 1 - span.starvedWhileBusy();
        long proposed =
                Math.max(LEAST_EVERY_S, (long) Math.ceil(CHECKPOINT_PAUSE * unstarved * span.checkpointMs() / 1e3));
        if (unstarved * share < MUCH_CHECKPOINTING || proposed * 1_000 <= span.checkpointEveryMs()) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                Domain.CHECKPOINTS,
                "a checkpoint is in progress %s of the time: %d in %.0f s, each of %.0f ms"
                        .formatted(
                                percent(Math.min(1, share)), span.checkpoints(), span.seconds(), span.checkpointMs()),
                "%s: %ds instead of %s"
                        .formatted(
                                isIngest(span) ? "sink.every" : "checkpoints.every",
                                proposed,
                                millis(span.checkpointEveryMs())),
                "at most %s of the time; after a failure, up to %d s of events are read again"
                        .formatted(percent(span.checkpointMs() / 1e3 / proposed), proposed)));
    }

    private static boolean isIngest(JobSpan span) {
        return span.stages().stream().anyMatch(stage -> stage.work().translateMs() > 0);
    }

    private static boolean isUneven(StageLoad stage) {
        return stage.busyOthers() < UNEVEN * stage.busiest();
    }

    private static List<Finding> causes(JobSpan span, StageLoad stage) {
        Optional<Finding> batches = stage.work().batches().stream()
                .filter(Diagnosis::areSmall)
                .findFirst()
                .map(writes -> smallBatches(stage, writes));
        if (batches.isPresent()) {
            return List.of(batches.get());
        }
        if (isWaiting(span, stage)) {
            return List.of(waits(span, stage));
        }
        if (isStarved(span, stage)) {
            return List.of(starved(span, stage));
        }
        List<Finding> findings = new ArrayList<>();
        span.stages().stream()
                .flatMap(each -> each.work().filters().stream())
                .filter(filter -> filter.dropped() == 0 && filter.kept() >= JUDGED_EVENTS)
                .forEach(filter -> findings.add(keepsAll(stage, filter)));
        findings.add(computes(span, stage));
        return findings;
    }

    private static boolean areSmall(Batches writes) {
        return writes.writes() > 0
                && writes.most() < SMALL_BATCH
                && writes.rows() >= FILLED * writes.most() * writes.writes();
    }

    private static Finding smallBatches(StageLoad stage, Batches writes) {
        return new Finding(
                Domain.BATCH_SIZE,
                "'%s' is occupied %s of the time, with writes of %.0f rows: load.batch_rows allows %d"
                        .formatted(
                                stage.label(),
                                percent(stage.busiest()),
                                (double) writes.rows() / writes.writes(),
                                writes.most()),
                "load.batch_rows: %d instead of %d".formatted(Load.DEFAULTS.batchRows(), writes.most()),
                "fewer writes for the same rows; each costs a round trip to the store");
    }

    /** Whether threads of a stage neither compute nor wait for a processor or the collector while they are busy. */
    private static boolean isWaiting(JobSpan span, StageLoad stage) {
        double computing = stage.computing();
        return computing == 0
                ? span.cores() < COMPUTES * busyThreads(span)
                : computing / (1 - stage.starved()) + span.gcShare() * stage.busyThreads()
                        < COMPUTES * stage.busyThreads();
    }

    private static Finding starved(JobSpan span, StageLoad stage) {
        return new Finding(
                Domain.MACHINE,
                "'%s' is busy %s of the time, but the machine is busy with other processes: for %s of the time in which its threads have work they have no processor; the job's process has %.1f of %d"
                        .formatted(
                                stage.label(),
                                percent(stage.busiest()),
                                percent(stage.starved()),
                                span.cores(),
                                span.processors()),
                "nothing of the job: give it processors that nothing else uses, or raise the limit of its container; then observe again",
                "up to %.1f times the events; only then do the figures show what else holds it up"
                        .formatted(1 / (1 - stage.starved())));
    }

    private static Finding keepsAll(StageLoad stage, Filter filter) {
        return new Finding(
                Domain.ALGORITHM,
                "'%s' computes %s of the time, and where of %s has dropped none of %,d events"
                        .formatted(stage.label(), percent(stage.busiest()), filter.definition(), filter.kept()),
                "where: a condition that drops what the rows do not need, or none",
                "events that are dropped cost no more than their decoding; a filter that drops none costs time for each");
    }

    private static double busyThreads(JobSpan span) {
        return span.stages().stream().mapToDouble(StageLoad::busyThreads).sum();
    }

    private static Finding uneven(StageLoad stage) {
        String evidence = "one of the %d subtasks of '%s' is busy %s of the time, the others %s"
                .formatted(
                        stage.subtasks().size(), stage.label(), percent(stage.busiest()), percent(stage.busyOthers()));
        long without = stage.subtasks().stream()
                .map(SubtaskLoad::recordsOut)
                .filter(out -> out == 0)
                .count();
        if (stage.isReader()) {
            return without == 0
                    ? new Finding(
                            Domain.PARTITIONING,
                            evidence,
                            "record keys that spread the events over the partitions of the topic, or none: one partition has most of them",
                            "every subtask reads an equal share")
                    : new Finding(
                            Domain.PARTITIONING,
                            evidence + "; %d of them %s read nothing".formatted(without, without == 1 ? "has" : "have"),
                            "at least as many partitions in the topic as the job has subtasks, and a key that spreads the events; or a lower --parallelism",
                            "every subtask reads an equal share");
        }
        return new Finding(
                Domain.PARTITIONING,
                evidence,
                stage.hasHexagons() ? HOT_PLACE : HOT_KEY,
                "up to %.1f times the events"
                        .formatted(stage.busiest() * stage.subtasks().size() / stage.busyThreads()));
    }

    private static Finding waits(JobSpan span, StageLoad stage) {
        boolean isKnown = stage.computing() > 0;
        String evidence =
                "'%s' is occupied %s of the time%s, but %s for %.1f of %.1f occupied ones: the stage waits for "
                        .formatted(
                                stage.label(),
                                percent(stage.busiest()),
                                waiting(span, stage),
                                isKnown ? "its threads compute" : "all threads together compute",
                                isKnown ? stage.computing() : span.cores(),
                                isKnown ? stage.busyThreads() : busyThreads(span));
        Work work = stage.work();
        if (work.translateMs() > work.writeMs()) {
            int parallelism = stage.subtasks().size();
            return new Finding(
                    Domain.REMOTE_CALLS,
                    evidence
                            + "a service that the function of the ingest calls, for %s of the time that it works"
                                    .formatted(percent(
                                            (double) work.translateMs() / (work.translateMs() + work.writeMs()))),
                    "fewer calls: answers that the function keeps, or one call for many messages; or more of them at once, --parallelism %d instead of %d, with as many partitions"
                            .formatted(2 * parallelism, parallelism),
                    "each subtask makes one call at a time, so twice as many make up to 2.0 times the calls; a job that is behind stays busy until it has read what waits");
        }
        Optional<Batches> writes = work.batches().stream()
                .filter(each -> each.writes() > 0 && each.targetMs() > 0)
                .findFirst();
        if (writes.isPresent()) {
            return slowStore(evidence, writes.get());
        }
        return new Finding(
                Domain.REMOTE_CALLS,
                evidence + "a store or a service",
                "a faster or nearer store or service, more calls in flight (load.in_flight), larger batches (load.batch_rows), or a lookup table instead of a call in a function",
                "the stage waits less; its threads have the time to do more");
    }

    /**
     * Explains slow writes. A writer sends fewer rows at a time while writes take too long. If small writes take as long, latency
     * dominates, and more writes in flight help. If they do not, the store is overloaded, and no change of the job helps.
     */
    private static Finding slowStore(String evidence, Batches writes) {
        String slow = "%sthe store: a write of %.0f rows takes %.0f ms"
                .formatted(evidence, (double) writes.rows() / writes.writes(), writes.meanMs());
        if (writes.meanMs() <= writes.targetMs()) {
            return new Finding(
                    Domain.REMOTE_CALLS,
                    "%s, and at most %d are in flight".formatted(slow, writes.inFlight()),
                    "load.in_flight: %d instead of %d; if the store is at its limit, a faster one"
                            .formatted(4 * writes.inFlight(), writes.inFlight()),
                    "up to 4.0 times the rows, as long as writes do not become slower; if they do, the store is the limit");
        }
        return new Finding(
                Domain.REMOTE_CALLS,
                "%s; load.target_latency allows %s, so the writer sends fewer rows at a time"
                        .formatted(slow, millis(writes.targetMs())),
                "a nearer or faster store; or, if its load is low, load.target_latency: %s instead of %s"
                        .formatted(millis(roundedUp(2 * writes.meanMs())), millis(writes.targetMs())),
                "writes take as long as before, but have up to %d rows, and %d are in flight"
                        .formatted(writes.most(), writes.inFlight()));
    }

    private static long roundedUp(double ms) {
        return 100 * (long) Math.ceil(ms / 100);
    }

    private static Finding computes(JobSpan span, StageLoad stage) {
        String evidence = "'%s' computes %s of the time%s; %.1f of %d processors are in use"
                .formatted(
                        stage.label(), percent(stage.busiest()), waiting(span, stage), span.cores(), span.processors());
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
                "--parallelism %d instead of %d".formatted(parallelism + 1, parallelism)
                        + (stage.isReader() ? ", and a partition of the topic for each subtask" : ""),
                "up to %.1f times the events, while processors are idle".formatted((parallelism + 1.0) / parallelism));
    }

    /** Returns how long the stages before a stage wait for it. */
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
