package io.thalweg.jobs.lane;

import io.thalweg.warehouse.RetryCounts;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleConsumer;

/**
 * What a job's lanes have done in this process, and what the checkpoint says that it has resumed from.
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

    /** That of a job. */
    public static LaneAccount of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new LaneAccount());
    }

    /** Begins the account of a subtask, in place of that of an earlier attempt. */
    void register(int subtask, LaneCounts restored) {
        before.putIfAbsent(subtask, restored);
        counts.put(subtask, restored);
    }

    void update(int subtask, LaneCounts now, int nowLanes) {
        counts.put(subtask, now);
        lanes.put(subtask, nowLanes);
    }

    /** Where the time of each request is observed, from sending it to its answer, in seconds. */
    public void onAppend(DoubleConsumer observer) {
        append = observer;
    }

    void appended(double seconds) {
        append.accept(seconds);
    }

    /** The sum over all subtasks, with what the runs have counted that this one resumes. */
    public LaneCounts total() {
        return counts.values().stream().reduce(LaneCounts.NONE, LaneCounts::plus);
    }

    /** The sum over all subtasks of what this process has counted. */
    public LaneCounts sinceStart() {
        return before.values().stream().map(LaneCounts::negated).reduce(total(), LaneCounts::plus);
    }

    /** Requests that this process has sent again, those of attempts that have failed, too. */
    public RetryCounts retries() {
        return retries;
    }

    /** Number of lanes of all subtasks. */
    public int lanes() {
        return lanes.values().stream().mapToInt(Integer::intValue).sum();
    }
}
