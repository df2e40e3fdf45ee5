package io.thalweg.jobs.pubsub;

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
 * What a job's subscription has delivered to this process.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class PullAccount {
    /** A subscription that has delivered nothing for so long has nothing. */
    private static final Duration UP_TO_DATE = Duration.ofSeconds(1);

    private static final Map<String, PullAccount> JOBS = new ConcurrentHashMap<>();

    private final Map<Integer, List<PullStream>> streams = new ConcurrentHashMap<>();
    /** Age of the last message of each subtask when it was read, ms. */
    private final Map<Integer, Long> agesMs = new ConcurrentHashMap<>();

    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong repeated = new AtomicLong();

    private PullAccount() {}

    /** That of a job. */
    public static PullAccount of(String jobId) {
        return JOBS.computeIfAbsent(jobId, id -> new PullAccount());
    }

    /** Takes note of the streams of a subtask, in place of those of an earlier attempt. */
    void register(int subtask, List<PullStream> open) {
        streams.put(subtask, List.copyOf(open));
    }

    void arrived(int subtask, PulledMessages messages) {
        delivered.addAndGet(messages.messages().size());
        long last = messages.messages().get(messages.messages().size() - 1).publishedMs();
        agesMs.put(subtask, Math.max(0, System.currentTimeMillis() - last));
    }

    /** Messages that were delivered, also those that were delivered before. */
    public long delivered() {
        return delivered.get();
    }

    void countRepeated() {
        repeated.incrementAndGet();
    }

    /** Messages that were dropped because they had been delivered before. */
    public long repeated() {
        return repeated.get();
    }

    /** Messages that were delivered and are not acknowledged. */
    public long unacknowledged() {
        return states().mapToLong(State::messages).sum();
    }

    /** Connections that were opened again and requests that were repeated. */
    public long retries() {
        return states().mapToLong(State::retries).sum();
    }

    /** Age of the last message when it was read, of the subtask that is most behind; zero while nothing is delivered. */
    public Duration behind() {
        if (quiet().compareTo(UP_TO_DATE) > 0) {
            return Duration.ZERO;
        }
        return Duration.ofMillis(
                agesMs.values().stream().mapToLong(Long::longValue).max().orElse(0));
    }

    /** For how long no stream has delivered anything although all are connected and may; zero before all streams are open. */
    public Duration quiet() {
        return Duration.ofNanos(states().mapToLong(State::quietNanos).min().orElse(0));
    }

    private Stream<State> states() {
        return streams.values().stream().flatMap(Collection::stream).map(PullStream::state);
    }
}
