package io.thalweg.jobs.ingest;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The accounts of all subtasks of a job in this process.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class IngestCounts {
    private static final Map<String, IngestCounts> JOBS = new ConcurrentHashMap<>();

    private final Map<Integer, IngestAccount> accounts = new ConcurrentHashMap<>();

    private IngestCounts() {}

    /** Those of a job. */
    public static IngestCounts of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new IngestCounts());
    }

    /** Begins the account of a subtask, in place of that of an earlier attempt. */
    void register(int subtask, IngestAccount account) {
        accounts.put(subtask, account);
    }

    /** The sum over all subtasks. */
    public long get(IngestAccount.Count count) {
        return accounts.values().stream()
                .mapToLong(account -> account.get(count))
                .sum();
    }

    /** Bad messages by reason. */
    public Map<String, Long> badByReason() {
        Map<String, Long> sum = new TreeMap<>();
        accounts.values()
                .forEach(account ->
                        account.reasons().forEach((reason, count) -> sum.merge(reason, count.get(), Long::sum)));
        return sum;
    }
}
