package io.thalweg.jobs.sink;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the brokers have taken of a job in this process: records that were acknowledged or, with transactions, committed.
 *
 * <p><b>Failures.</b> When a subtask restarts from a checkpoint, it counts on from there: what was acknowledged after it is sent again,
 * and counts once. The transactions of a checkpoint are part of its counts, because they are committed before anything is sent; a
 * later one counts when it is committed.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class TopicAccount {
    private static final Map<String, TopicAccount> JOBS = new ConcurrentHashMap<>();

    /** By subtask, with what the checkpoint holds that its attempt began from. */
    private final Map<Integer, TopicCounts> taken = new HashMap<>();
    /** By subtask: what the checkpoint holds that this process has resumed from. */
    private final Map<Integer, TopicCounts> before = new HashMap<>();
    /** By id: transactions of these attempts that are not committed yet. */
    private final Map<String, Open> open = new HashMap<>();

    private record Open(int subtask, TopicCounts counts) {}

    private TopicAccount() {}

    /** That of a job. */
    public static TopicAccount of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new TopicAccount());
    }

    /**
     * Begins an attempt of a subtask, in place of an earlier one.
     *
     * @param restored from its checkpoint
     */
    synchronized void begin(int subtask, TopicCounts restored) {
        before.putIfAbsent(subtask, restored);
        taken.put(subtask, restored);
        open.values().removeIf(transaction -> transaction.subtask() == subtask);
    }

    synchronized void acknowledged(int subtask, TopicCounts more) {
        taken.merge(subtask, more, TopicCounts::plus);
    }

    /** Takes note of what a transaction holds that waits for its commit. */
    synchronized void prepared(int subtask, String transaction, TopicCounts counts) {
        open.put(transaction, new Open(subtask, counts));
    }

    /** Counts a transaction, unless it is part of the checkpoint that its subtask began from. */
    synchronized void committed(String transaction) {
        Open committed = open.remove(transaction);
        if (committed != null) {
            acknowledged(committed.subtask(), committed.counts());
        }
    }

    /** The sum over all subtasks, with what the runs have counted that this one resumes. */
    public synchronized TopicCounts total() {
        return taken.values().stream().reduce(TopicCounts.NONE, TopicCounts::plus);
    }

    /** The same with the transactions that wait for their commit. */
    public synchronized TopicCounts totalWithOpen() {
        return open.values().stream().map(Open::counts).reduce(total(), TopicCounts::plus);
    }

    /** The sum over all subtasks of what this process has counted. */
    public synchronized TopicCounts sinceStart() {
        return before.values().stream().map(TopicCounts::negated).reduce(total(), TopicCounts::plus);
    }
}
