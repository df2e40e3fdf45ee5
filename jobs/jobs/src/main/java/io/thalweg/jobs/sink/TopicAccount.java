package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobAccounts;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the records of a job in this process that the brokers have acknowledged or, with transactions, that are committed.
 *
 * <p><b>Failures.</b> A subtask that restarts from a checkpoint continues from its counts: records acknowledged after the checkpoint are
 * sent again, and count once. The transactions of a checkpoint are part of its counts, because they are committed before anything is
 * sent; a later transaction counts when it is committed.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class TopicAccount {
    /** Accepted records by subtask, including the counts of the checkpoint that its attempt started from. */
    private final Map<Integer, TopicTotals> taken = new HashMap<>();
    /** By subtask, the counts of the checkpoint that this process resumed from. */
    private final Map<Integer, TopicTotals> before = new HashMap<>();
    /** By id, the transactions of the current attempts that are not committed yet. */
    private final Map<String, Open> open = new HashMap<>();

    private record Open(int subtask, TopicTotals counts) {}

    private TopicAccount() {}

    /** Returns the account of a job. */
    public static TopicAccount of(String jobId) {
        return new JobAccounts(jobId).get(TopicAccount.class, TopicAccount::new);
    }

    /**
     * Starts an attempt of a subtask, which replaces an earlier one.
     *
     * @param restored the counts of its checkpoint
     */
    synchronized void begin(int subtask, TopicTotals restored) {
        before.putIfAbsent(subtask, restored);
        taken.put(subtask, restored);
        open.values().removeIf(transaction -> transaction.subtask() == subtask);
    }

    synchronized void acknowledged(int subtask, TopicTotals more) {
        taken.merge(subtask, more, TopicTotals::plus);
    }

    /** Records the content of a transaction that is not committed yet. */
    synchronized void prepared(int subtask, String transaction, TopicTotals counts) {
        open.put(transaction, new Open(subtask, counts));
    }

    /** Counts a transaction, unless it is part of the checkpoint that its subtask started from. */
    synchronized void committed(String transaction) {
        Open committed = open.remove(transaction);
        if (committed != null) {
            acknowledged(committed.subtask(), committed.counts());
        }
    }

    /** Returns the sum over all subtasks, including the counts of the runs that this one resumes. */
    public synchronized TopicTotals total() {
        return taken.values().stream().reduce(TopicTotals.NONE, TopicTotals::plus);
    }

    /** Returns {@link #total} plus the transactions that are not committed yet. */
    public synchronized TopicTotals totalWithOpen() {
        return open.values().stream().map(Open::counts).reduce(total(), TopicTotals::plus);
    }

    /** Returns the sum over all subtasks of what this process has counted. */
    public synchronized TopicTotals sinceStart() {
        return before.values().stream().map(TopicTotals::negated).reduce(total(), TopicTotals::plus);
    }
}
