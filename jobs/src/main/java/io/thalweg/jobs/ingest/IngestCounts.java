package io.thalweg.jobs.ingest;

import io.thalweg.jobs.ingest.IngestAccount.Stage;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleConsumer;
import java.util.function.LongConsumer;

/**
 * The accounts of all subtasks of a job in this process.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class IngestCounts {
    private static final Map<String, IngestCounts> JOBS = new ConcurrentHashMap<>();

    private final Map<Integer, IngestAccount> accounts = new ConcurrentHashMap<>();
    /** What the checkpoint says that this process has resumed from. */
    private final Map<Integer, IngestTotals> before = new ConcurrentHashMap<>();

    /** By attempts that have failed. */
    private final Map<Stage, Long> spentBefore = new ConcurrentHashMap<>();

    private final CompletableFuture<Void> stuck = new CompletableFuture<>();

    private volatile LongConsumer end = checkpoint -> {};
    private volatile DoubleConsumer latency = seconds -> {};

    private IngestCounts() {}

    /** Those of a job. */
    public static IngestCounts of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new IngestCounts());
    }

    /** Begins the account of a subtask, in place of that of an earlier attempt. */
    void register(int subtask, IngestAccount account) {
        before.putIfAbsent(subtask, IngestTotals.of(List.of(account)));
        IngestAccount attempt = accounts.put(subtask, account);
        if (attempt != null) {
            for (Stage stage : Stage.values()) {
                spentBefore.merge(stage, attempt.spentNanos(stage), Long::sum);
            }
        }
    }

    /**
     * Calls an observer with the number of each checkpoint that is complete after a subtask has read all of its input. The last call
     * comes when all subtasks have, and before the job ends.
     *
     * @param observer called by the threads of the subtasks, one at a time; what it throws fails the job
     */
    public void onEnd(LongConsumer observer) {
        end = observer;
    }

    synchronized void ended(long checkpoint) {
        end.accept(checkpoint);
    }

    /**
     * Where latency is observed, in seconds: of the oldest record of each subtask and checkpoint, from the record's timestamp to the
     * completion of the checkpoint that commits it.
     */
    public void onLatency(DoubleConsumer observer) {
        latency = observer;
    }

    void waited(double seconds) {
        latency.accept(seconds);
    }

    /**
     * Completes, with a {@link HungFunctionException}, when a call of the user's function has not returned when its task was cancelled:
     * the job cannot restart in this process.
     */
    public CompletableFuture<Void> stuck() {
        return stuck;
    }

    void stuck(HungFunctionException call) {
        stuck.completeExceptionally(call);
    }

    /** Time that the subtasks have spent on a stage in this process. */
    public long spentNanos(Stage stage) {
        return accounts.values().stream()
                .mapToLong(account -> account.spentNanos(stage))
                .reduce(spentBefore.getOrDefault(stage, 0L), Long::sum);
    }

    /** The sum over all subtasks, with what the runs have counted that this one resumes. */
    public IngestTotals total() {
        return IngestTotals.of(accounts.values());
    }

    /** The sum over all subtasks of what this process has counted. */
    public IngestTotals sinceStart() {
        IngestTotals total = total();
        for (IngestTotals resumed : before.values()) {
            total = total.minus(resumed);
        }
        return total;
    }

    /** Whether the records of these offsets, by partition, have been read. */
    public boolean hasPassed(Map<Integer, Long> offsets) {
        return SavedAccount.hasPassed(passed(), offsets);
    }

    /** Offset of the last record that was read from each partition; in the job's state, so known also after a restart. */
    public Map<Integer, Long> passed() {
        Map<Integer, Long> last = new TreeMap<>();
        accounts.values()
                .forEach(account -> account.passed()
                        .forEach((partition, offset) -> last.merge(partition, offset.get(), Math::max)));
        return last;
    }
}
