package io.thalweg.live.inspect;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The states of jobs during the last seconds, for callers that poll. Nothing is read between two polls, so a poll after a pause longer than
 * the span starts a new observation.
 *
 * <p><b>Stale metrics.</b> Flink gathers metrics on request, and answers with those gathered earlier. So the result of a poll after a pause
 * is as old as the pause, and is not compared with anything.
 *
 * <p><b>Cost.</b> Several callers share a poll: states are read at most once a second.
 *
 * <p><b>Threads.</b> Safe. One thread reads while the others wait for it.
 */
public final class RecentJobs {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);
    /** Metrics are stale after this long without a poll. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** A shorter observation shows random effects. */
    private static final Duration SHORTEST = Duration.ofSeconds(5);

    private final JobInspection inspection;
    private final long spanMs;
    private final LongSupplier nanoTime;
    private final Map<String, List<JobState>> states = new LinkedHashMap<>();
    private long lookedNanos;
    private boolean isStale;

    /**
     * Creates an observation without states.
     *
     * @param span how long states are kept
     * @param nanoTime {@link System#nanoTime}
     */
    public RecentJobs(JobInspection inspection, Duration span, LongSupplier nanoTime) {
        this.inspection = inspection;
        this.spanMs = span.toMillis();
        this.nanoTime = nanoTime;
        this.lookedNanos = nanoTime.getAsLong() - STALE_NANOS;
    }

    /**
     * A job and what it did.
     *
     * @param now its newest state
     * @param span the last seconds; empty until it was observed for 5 s and Flink has measured it
     * @param sinceRestart the part of the span after its last restart, for figures that restart with it; empty under the same
     *   conditions
     */
    public record Recent(JobState now, Optional<JobSpan> span, Optional<JobSpan> sinceRestart) {}

    /**
     * Polls the jobs, unless that was done just now.
     *
     * @throws IOException if Flink does not answer
     */
    public synchronized List<Recent> look() throws IOException, InterruptedException {
        long pause = nanoTime.getAsLong() - lookedNanos;
        if (pause >= PAUSE_NANOS) {
            add(inspection.jobs());
            isStale = pause >= STALE_NANOS;
            lookedNanos = nanoTime.getAsLong();
        }
        return states.values().stream().map(this::recent).toList();
    }

    private void add(List<JobState> now) {
        states.keySet()
                .removeIf(id -> now.stream().noneMatch(state -> state.id().equals(id)));
        for (JobState state : now) {
            List<JobState> known = states.computeIfAbsent(state.id(), id -> new ArrayList<>());
            if (isStale && !known.isEmpty()) {
                known.remove(known.size() - 1);
            }
            known.removeIf(before -> state.atMs() - before.atMs() > spanMs);
            if (known.size() == 1 && !known.get(0).isComplete()) {
                known.clear(); // times that Flink had not reported yet would count as spent since then
            }
            known.add(state);
        }
    }

    private Recent recent(List<JobState> states) {
        JobState now = states.get(states.size() - 1);
        if (isStale) {
            return new Recent(now, Optional.empty(), Optional.empty());
        }
        List<JobState> since = states.stream()
                .filter(state -> state.restarts() == now.restarts())
                .toList();
        return new Recent(now, span(states), span(since));
    }

    private static Optional<JobSpan> span(List<JobState> states) {
        return Optional.of(states)
                .filter(several -> several.size() > 1)
                .map(JobSpan::new)
                .filter(observed -> observed.seconds() * 1e3 >= SHORTEST.toMillis())
                .filter(observed -> observed.restarts() > 0 || observed.isMeasured());
    }
}
