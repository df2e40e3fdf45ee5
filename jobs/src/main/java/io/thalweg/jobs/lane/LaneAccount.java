package io.thalweg.jobs.lane;

import io.thalweg.warehouse.RetryCounts;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleConsumer;

/**
 * Counts what a job's lanes have done in this process, on top of the counts of the checkpoint it resumed from.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class LaneAccount {
    private static final Map<String, LaneAccount> JOBS = new ConcurrentHashMap<>();

    private final Map<Integer, LaneCounts> counts = new ConcurrentHashMap<>();
    private final Map<Integer, LaneCounts> before = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> lanes = new ConcurrentHashMap<>();

    private final RetryCounts retries = new RetryCounts();

    private volatile DoubleConsumer append = seconds -> {};

    private LaneAccount() {}

    /** Returns the account of a job. */
    public static LaneAccount of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new LaneAccount());
    }

    /** Starts the account of a subtask and replaces that of an earlier attempt. */
    void register(int subtask, LaneCounts restored) {
        before.putIfAbsent(subtask, restored);
        counts.put(subtask, restored);
    }

    void update(int subtask, LaneCounts now, int nowLanes) {
        counts.put(subtask, now);
        lanes.put(subtask, nowLanes);
    }

    /** Sets the observer of the latency of each request, from sending it to its answer, in seconds. */
    public void onAppend(DoubleConsumer observer) {
        append = observer;
    }

    void appended(double seconds) {
        append.accept(seconds);
    }

    /** The sum over all subtasks, including the counts of the runs that this one resumes. */
    public LaneCounts total() {
        return counts.values().stream().reduce(LaneCounts.NONE, LaneCounts::plus);
    }

    /** The sum over all subtasks of the counts of this process only. */
    public LaneCounts sinceStart() {
        return before.values().stream().map(LaneCounts::negated).reduce(total(), LaneCounts::plus);
    }

    /** Requests that this process has retried, including those of failed attempts. */
    public RetryCounts retries() {
        return retries;
    }

    /** The number of lanes of all subtasks. */
    public int lanes() {
        return lanes.values().stream().mapToInt(Integer::intValue).sum();
    }
}
