package io.thalweg.qalm;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How a lane stands.
 *
 * @param endpoint its name
 * @param mode whether it acts
 * @param overloaded whether calls wait too long
 * @param inflight calls under way, by their weight, as limit and calls a second
 * @param waiting calls in the queue
 * @param limit calls under way at most
 * @param reserved slots that it keeps to itself, used or not
 * @param thresholdRank calls of a worse rank are refused on arrival; 512 = none. A rank is 128 × level + cohort
 * @param capacityPerSecond calls a second that it can do; NaN while unknown
 * @param offeredPerSecond calls a second that came in the last full second, refused ones included: what an autoscaler should see
 * @param neverDropPerSecond those of levels 0 and 1
 * @param shedRatio the part of the calls of that second that was shed, 0 to 1; 0 if nobody called
 * @param minDelay the shortest wait of the calls of the last 100 ms; zero if there were none and nobody waits. Where it
 *     stays above {@code delayThreshold}, an overload begins
 * @param delayThreshold the queueing delay from which on an overload begins
 * @param meanServiceTime of the last second or so; zero while unknown
 * @param levels what became of the calls, by level; all four are there
 * @param callers who called
 * @param passed calls that went through unmanaged: the lane was off or in shadow, or load management failed
 * @param failures of load management itself
 */
public record LaneSnapshot(
        String endpoint,
        Mode mode,
        boolean overloaded,
        int inflight,
        int waiting,
        int limit,
        int reserved,
        int thresholdRank,
        double capacityPerSecond,
        double offeredPerSecond,
        double neverDropPerSecond,
        double shedRatio,
        Duration minDelay,
        Duration delayThreshold,
        Duration meanServiceTime,
        Map<Criticality, LevelCounts> levels,
        List<CallerSnapshot> callers,
        long passed,
        long failures) {
    /** What became of the calls of one level. */
    public LevelCounts level(Criticality criticality) {
        return Objects.requireNonNull(levels.get(criticality));
    }

    /** Slots that its calls hold beyond those it keeps to itself. */
    public int borrowed() {
        return Math.max(0, inflight - reserved);
    }

    /** Calls that the server chose to refuse, of all levels. */
    public long shed() {
        return levels.values().stream().mapToLong(LevelCounts::shed).sum();
    }

    /** The part of the capacity that never-drop calls ask for; above 0.6 shedding the rest hardly helps. */
    public double neverDropShare() {
        return neverDropPerSecond / capacityPerSecond;
    }
}
