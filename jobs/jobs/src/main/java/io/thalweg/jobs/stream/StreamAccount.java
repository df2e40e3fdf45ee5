package io.thalweg.jobs.stream;

import io.thalweg.jobs.JobAccounts;
import io.thalweg.warehouse.RetryCounts;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleConsumer;

/**
 * Counts what a job's streams have done in this process, on top of the counts of the checkpoint it resumed from.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class StreamAccount {
    private final Map<Integer, StreamCounts> counts = new ConcurrentHashMap<>();
    private final Map<Integer, StreamCounts> before = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> streams = new ConcurrentHashMap<>();

    private final RetryCounts retries = new RetryCounts();

    private volatile DoubleConsumer append = seconds -> {};

    private StreamAccount() {}

    /** Returns the account of a job. */
    public static StreamAccount of(String jobId) {
        return new JobAccounts(jobId).get(StreamAccount.class, StreamAccount::new);
    }

    /** Starts the account of a subtask and replaces that of an earlier attempt. */
    void register(int subtask, StreamCounts restored) {
        before.putIfAbsent(subtask, restored);
        counts.put(subtask, restored);
    }

    void update(int subtask, StreamCounts now, int nowStreams) {
        counts.put(subtask, now);
        streams.put(subtask, nowStreams);
    }

    /** Sets the observer of the latency of each request, from sending it to its answer, in seconds. */
    public void onAppend(DoubleConsumer observer) {
        append = observer;
    }

    void appended(double seconds) {
        append.accept(seconds);
    }

    /** The sum over all subtasks, including the counts of the runs that this one resumes. */
    public StreamCounts total() {
        return counts.values().stream().reduce(StreamCounts.NONE, StreamCounts::plus);
    }

    /** The sum over all subtasks of the counts of this process only. */
    public StreamCounts sinceStart() {
        return before.values().stream().map(StreamCounts::negated).reduce(total(), StreamCounts::plus);
    }

    /** Requests that this process has retried, including those of failed attempts. */
    public RetryCounts retries() {
        return retries;
    }

    /** The number of streams of all subtasks. */
    public int streams() {
        return streams.values().stream().mapToInt(Integer::intValue).sum();
    }
}
