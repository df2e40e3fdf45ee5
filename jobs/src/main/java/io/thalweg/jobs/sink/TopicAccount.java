package io.thalweg.jobs.sink;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the brokers have taken of a job in this process: records that were acknowledged or, with transactions, committed. Records that
 * the checkpoint holds which the process has resumed from do not count.
 *
 * <p><b>Failures.</b> When the job restarts from a checkpoint, what was acknowledged after it is sent again, and counts once. A
 * transaction counts when it is committed; one that never is does not count.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class TopicAccount {
    private static final Map<String, TopicAccount> JOBS = new ConcurrentHashMap<>();
    /** Checkpoints of which any may be the one that a job restarts from. */
    private static final int MOST_CHECKPOINTS = 1_000;

    /** By subtask. */
    private final Map<Integer, TopicCounts> acknowledged = new HashMap<>();
    /** By subtask: what it had acknowledged at each checkpoint. */
    private final Map<Integer, NavigableMap<Long, TopicCounts>> checkpoints = new HashMap<>();
    /** By id: transactions that are not committed yet. */
    private final Map<String, TopicCounts> open = new HashMap<>();

    private TopicCounts committed = TopicCounts.NONE;

    private TopicAccount() {}

    /** That of a job. */
    public static TopicAccount of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new TopicAccount());
    }

    /** Begins an attempt of a subtask, from a checkpoint or from nothing. */
    synchronized void begin(int subtask, OptionalLong checkpoint) {
        NavigableMap<Long, TopicCounts> before = checkpoints.computeIfAbsent(subtask, s -> new TreeMap<>());
        acknowledged.put(
                subtask,
                checkpoint.isPresent()
                        ? before.getOrDefault(checkpoint.getAsLong(), TopicCounts.NONE)
                        : TopicCounts.NONE);
    }

    synchronized void acknowledged(int subtask, TopicCounts more) {
        acknowledged.merge(subtask, more, TopicCounts::plus);
    }

    /** Takes note that a subtask takes part in a checkpoint. */
    synchronized void checkpoint(int subtask, long id) {
        NavigableMap<Long, TopicCounts> kept = checkpoints.computeIfAbsent(subtask, s -> new TreeMap<>());
        kept.put(id, acknowledged.getOrDefault(subtask, TopicCounts.NONE));
        if (kept.size() > MOST_CHECKPOINTS) {
            kept.pollFirstEntry();
        }
    }

    /** Takes note of what a transaction holds that waits for its commit. */
    synchronized void prepared(String transaction, TopicCounts counts) {
        open.put(transaction, counts);
    }

    /** Counts a transaction, once; one of an earlier process does not count. */
    synchronized void committed(String transaction) {
        TopicCounts counts = open.remove(transaction);
        if (counts != null) {
            committed = committed.plus(counts);
        }
    }

    /** The sum over all subtasks. */
    public synchronized TopicCounts sinceStart() {
        return acknowledged.values().stream().reduce(committed, TopicCounts::plus);
    }
}
