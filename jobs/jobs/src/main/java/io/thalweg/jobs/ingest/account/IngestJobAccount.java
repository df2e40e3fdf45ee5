package io.thalweg.jobs.ingest.account;

import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.function.HungFunctionException;
import io.thalweg.jobs.ingest.account.IngestAccount.Stage;
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
public final class IngestJobAccount {
    private final Map<Integer, IngestAccount> accounts = new ConcurrentHashMap<>();
    /** Totals of the checkpoint that this process resumed from, by subtask. */
    private final Map<Integer, IngestTotals> before = new ConcurrentHashMap<>();

    /** Time spent by failed attempts. */
    private final Map<Stage, Long> spentBefore = new ConcurrentHashMap<>();

    private final CompletableFuture<Void> stuck = new CompletableFuture<>();

    private volatile LongConsumer end = checkpoint -> {};
    private volatile DoubleConsumer latency = seconds -> {};

    private IngestJobAccount() {}

    /** Returns the accounts of a job. */
    public static IngestJobAccount of(String jobId) {
        return new JobAccounts(jobId).get(IngestJobAccount.class, IngestJobAccount::new);
    }

    /** Registers the account of a subtask and replaces that of an earlier attempt. */
    public void register(int subtask, IngestAccount account) {
        before.putIfAbsent(subtask, IngestTotals.of(List.of(account)));
        IngestAccount attempt = accounts.put(subtask, account);
        if (attempt != null) {
            for (Stage stage : Stage.values()) {
                spentBefore.merge(stage, attempt.spentNanos(stage), Long::sum);
            }
        }
    }

    /**
     * Calls an observer with the number of each checkpoint that completes after a subtask has read all of its input. The last call
     * follows when all subtasks have done so, and before the job ends.
     *
     * @param observer called by the threads of the subtasks, one at a time; an exception from it fails the job
     */
    public void onEnd(LongConsumer observer) {
        end = observer;
    }

    public synchronized void ended(long checkpoint) {
        end.accept(checkpoint);
    }

    /**
     * Sets the observer of latency, in seconds: for the oldest record of each subtask and checkpoint, from the record's timestamp to
     * the completion of the checkpoint that commits it.
     */
    public void onLatency(DoubleConsumer observer) {
        latency = observer;
    }

    public void waited(double seconds) {
        latency.accept(seconds);
    }

    /**
     * Completes with a {@link HungFunctionException} when a call of the user function does not return although its task is cancelled.
     * The job then cannot restart in this process.
     */
    public CompletableFuture<Void> stuck() {
        return stuck;
    }

    public void stuck(HungFunctionException call) {
        stuck.completeExceptionally(call);
    }

    /** The time that the subtasks have spent on a stage in this process. */
    public long spentNanos(Stage stage) {
        return accounts.values().stream()
                .mapToLong(account -> account.spentNanos(stage))
                .reduce(spentBefore.getOrDefault(stage, 0L), Long::sum);
    }

    /** The sum over all subtasks, including the counts of the runs that this one resumes. */
    public IngestTotals total() {
        return IngestTotals.of(accounts.values());
    }

    /** The sum over all subtasks of the counts of this process only. */
    public IngestTotals sinceStart() {
        IngestTotals total = total();
        for (IngestTotals resumed : before.values()) {
            total = total.minus(resumed);
        }
        return total;
    }

    /** Whether the records up to these offsets, by partition, have been read. */
    public boolean hasPassed(Map<Integer, Long> offsets) {
        return IngestAccount.hasPassed(passed(), offsets);
    }

    /** The offset of the last record read from each partition. It is part of the job's state, so it survives a restart. */
    public Map<Integer, Long> passed() {
        Map<Integer, Long> last = new TreeMap<>();
        accounts.values()
                .forEach(account -> account.passed()
                        .forEach((partition, offset) -> last.merge(partition, offset.get(), Math::max)));
        return last;
    }
}
