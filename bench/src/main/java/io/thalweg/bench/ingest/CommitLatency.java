package io.thalweg.bench.ingest;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * How long after they were sent messages were in the table: messages of one partition, which a job of parallelism 1 commits in their
 * order.
 *
 * <p><b>Which.</b> Those sent before the warm-up is over, while the job still starts, and those of the last snapshot, which the end of
 * the job commits, do not count.
 */
public final class CommitLatency {
    private CommitLatency() {}

    /**
     * A snapshot of the table.
     *
     * @param rows that it has added
     */
    public record Commit(long atMs, long rows) {}

    /**
     * Median, 99th percentile (nearest rank) and maximum.
     *
     * @param sentMs of each message, in the order of the partition
     * @param commits in their order
     * @param skipMs from the first message on
     * @throws IllegalStateException if no message counts
     */
    public static Map<String, Long> of(long[] sentMs, List<Commit> commits, long skipMs) {
        long[] latencies = new long[sentMs.length];
        int counted = 0;
        int next = 0;
        for (Commit commit : commits.subList(0, Math.max(0, commits.size() - 1))) {
            for (long row = 0; row < commit.rows(); row++, next++) {
                if (sentMs[next] >= sentMs[0] + skipMs) {
                    latencies[counted++] = commit.atMs() - sentMs[next];
                }
            }
        }
        if (counted == 0) {
            throw new IllegalStateException(
                    "of %,d messages none was committed between the start and the end of the job"
                            .formatted(sentMs.length));
        }
        long[] sorted = Arrays.copyOf(latencies, counted);
        Arrays.sort(sorted);
        return Map.of(
                "latency_p50_ms", rank(sorted, 0.5),
                "latency_p99_ms", rank(sorted, 0.99),
                "latency_max_ms", sorted[counted - 1]);
    }

    private static long rank(long[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
}
