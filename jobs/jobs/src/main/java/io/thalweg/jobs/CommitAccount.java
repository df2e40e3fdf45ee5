package io.thalweg.jobs;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleConsumer;

/**
 * Counts what a job has committed to files or to a table. The committers of this process update the counts, and the process reads them.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class CommitAccount {
    /** Enough files, because a failure repeats only the commit of the last checkpoint, which has fewer. */
    private static final int REMEMBERED = 20_000;

    private final Set<String> counted = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    });
    private Sum total = new Sum(0, 0, 0);

    private volatile DoubleConsumer commit = seconds -> {};

    private CommitAccount() {}

    /**
     * A sum of commits.
     *
     * @param files number of data files
     * @param rows rows in the files
     * @param bytes size of the files
     */
    public record Sum(long files, long rows, long bytes) {}

    /** Returns the counts of a job. */
    public static CommitAccount of(String jobId) {
        return new JobAccounts(jobId).get(CommitAccount.class, CommitAccount::new);
    }

    /** Sets the observer of the time of each commit, in seconds. */
    public void onCommit(DoubleConsumer observer) {
        commit = observer;
    }

    /** Records that a commit is done and how long it took. */
    public void committed(long nanos) {
        commit.accept(nanos / 1e9);
    }

    /** Adds a file unless it has been added before. */
    public synchronized void add(String file, long rows, long bytes) {
        if (counted.add(file)) {
            total = new Sum(total.files + 1, total.rows + rows, total.bytes + bytes);
        }
    }

    /** Returns whether a file has been added. */
    public synchronized boolean has(String file) {
        return counted.contains(file);
    }

    /** Replaces the sum with the one that a table reports. */
    public synchronized void set(Sum now) {
        total = now;
    }

    /** The sum so far. */
    public synchronized Sum total() {
        return total;
    }
}
