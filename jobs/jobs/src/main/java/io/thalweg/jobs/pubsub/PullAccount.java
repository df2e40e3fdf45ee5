package io.thalweg.jobs.pubsub;

import io.thalweg.jobs.JobAccounts;
import io.thalweg.warehouse.PullStream;
import io.thalweg.warehouse.PullStream.State;
import io.thalweg.warehouse.PulledMessages;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Counts what a job's subscription has delivered to this process.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class PullAccount {
    /** A subscription that has been quiet for longer than this counts as drained. */
    private static final Duration UP_TO_DATE = Duration.ofSeconds(1);

    private final Map<Integer, List<PullStream>> streams = new ConcurrentHashMap<>();
    /** The age in ms of the last message of each subtask when it was read. */
    private final Map<Integer, Long> agesMs = new ConcurrentHashMap<>();

    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong repeated = new AtomicLong();

    private PullAccount() {}

    /** Returns the account of a job. */
    public static PullAccount of(String jobId) {
        return new JobAccounts(jobId).get(PullAccount.class, PullAccount::new);
    }

    /** Registers the streams of a subtask and replaces those of an earlier attempt. */
    void register(int subtask, List<PullStream> open) {
        streams.put(subtask, List.copyOf(open));
    }

    void arrived(int subtask, PulledMessages messages) {
        delivered.addAndGet(messages.messages().size());
        long last = messages.messages().get(messages.messages().size() - 1).publishedMs();
        agesMs.put(subtask, Math.max(0, System.currentTimeMillis() - last));
    }

    /** The number of messages delivered, redeliveries included. */
    public long delivered() {
        return delivered.get();
    }

    void countRepeated() {
        repeated.incrementAndGet();
    }

    /** The number of messages dropped because they had been delivered before. */
    public long repeated() {
        return repeated.get();
    }

    /** The number of messages delivered but not yet acknowledged. */
    public long unacknowledged() {
        return states().mapToLong(State::messages).sum();
    }

    /** The number of reconnects and retried requests. */
    public long retries() {
        return states().mapToLong(State::retries).sum();
    }

    /** The age of the last message when it was read, for the subtask that lags most; zero while the subscription is quiet. */
    public Duration behind() {
        if (quiet().compareTo(UP_TO_DATE) > 0) {
            return Duration.ZERO;
        }
        return Duration.ofMillis(
                agesMs.values().stream().mapToLong(Long::longValue).max().orElse(0));
    }

    /** How long all streams have been connected and free to deliver without delivering anything; zero before streams are open. */
    public Duration quiet() {
        return Duration.ofNanos(states().mapToLong(State::quietNanos).min().orElse(0));
    }

    private Stream<State> states() {
        return streams.values().stream().flatMap(Collection::stream).map(PullStream::state);
    }
}
