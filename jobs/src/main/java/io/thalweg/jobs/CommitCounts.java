package io.thalweg.jobs;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleConsumer;

/**
 * What a job has committed to files or to a table, counted by the committers of this process where it can be read.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class CommitCounts {
    private static final Map<String, CommitCounts> JOBS = new ConcurrentHashMap<>();

    /** A failure repeats only the commit of the last checkpoint, which has fewer files. */
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

    private CommitCounts() {}

    /**
     * A sum of commits.
     *
     * @param files number of data files
     * @param rows rows in them
     * @param bytes of them
     */
    public record Sum(long files, long rows, long bytes) {}

    /** Those of a job. */
    public static CommitCounts of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new CommitCounts());
    }

    /** Where the time of each commit is observed, in seconds. */
    public void onCommit(DoubleConsumer observer) {
        commit = observer;
    }

    /** Notes that a commit is done, and how long it took. */
    public void committed(long nanos) {
        commit.accept(nanos / 1e9);
    }

    /** Adds a file, once. */
    public synchronized void add(String file, long rows, long bytes) {
        if (counted.add(file)) {
            total = new Sum(total.files + 1, total.rows + rows, total.bytes + bytes);
        }
    }

    /** Whether a file has been added. */
    public synchronized boolean has(String file) {
        return counted.contains(file);
    }

    /** Replaces the sum by what a table says. */
    public synchronized void set(Sum now) {
        total = now;
    }

    /** The sum so far. */
    public synchronized Sum total() {
        return total;
    }
}
