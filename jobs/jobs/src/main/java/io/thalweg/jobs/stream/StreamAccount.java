package io.thalweg.jobs.stream;

import io.thalweg.jobs.JobAccounts;
import io.thalweg.warehouse.RetryAccount;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleConsumer;

/**
 * Counts what a job's streams have done in this process, on top of the counts of the checkpoint it resumed from.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class StreamAccount {
    private final Map<Integer, StreamTotals> counts = new ConcurrentHashMap<>();
    private final Map<Integer, StreamTotals> before = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> streams = new ConcurrentHashMap<>();

    private final RetryAccount retries = new RetryAccount();

    private volatile DoubleConsumer append = seconds -> {};

    private StreamAccount() {}

    /** Returns the account of a job. */
    public static StreamAccount of(String jobId) {
        return new JobAccounts(jobId).get(StreamAccount.class, StreamAccount::new);
    }

    /** Starts the account of a subtask and replaces that of an earlier attempt. */
    void register(int subtask, StreamTotals restored) {
        before.putIfAbsent(subtask, restored);
        counts.put(subtask, restored);
    }

    void update(int subtask, StreamTotals now, int nowStreams) {
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
    public StreamTotals total() {
        return counts.values().stream().reduce(StreamTotals.NONE, StreamTotals::plus);
    }

    /** The sum over all subtasks of the counts of this process only. */
    public StreamTotals sinceStart() {
        return before.values().stream().map(StreamTotals::negated).reduce(total(), StreamTotals::plus);
    }

    /** Requests that this process has retried, including those of failed attempts. */
    public RetryAccount retries() {
        return retries;
    }

    /** The number of streams of all subtasks. */
    public int streams() {
        return streams.values().stream().mapToInt(Integer::intValue).sum();
    }
}
