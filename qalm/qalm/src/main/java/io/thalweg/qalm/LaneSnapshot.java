package io.thalweg.qalm;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The state of a lane.
 *
 * @param endpoint its name
 * @param mode whether the lane acts
 * @param overloaded whether calls wait too long
 * @param inflight calls in flight; by weight, as are the limit and the rates
 * @param waiting calls in the queue
 * @param limit the maximum number of calls in flight
 * @param reserved slots that the lane reserves, used or not
 * @param thresholdRank calls of a higher rank are refused on arrival; 512 = none. A rank is 128 × level + cohort
 * @param capacityPerSecond the estimated capacity in calls per second; NaN while unknown
 * @param offeredPerSecond calls that arrived in the last full second, including refused ones: the rate for an autoscaler
 * @param neverDropPerSecond the same for levels 0 and 1
 * @param shedRatio the share of the calls of the last full second that was shed, 0 to 1; 0 without calls
 * @param minDelay the shortest wait of the calls of the last 100 ms; zero if there were none and none waits. An overload begins if
 *     it stays above {@code delayThreshold}
 * @param delayThreshold the queueing delay above which an overload begins
 * @param meanServiceTime over about the last second; zero while unknown
 * @param levels counts of all four levels
 * @param callers the callers, in no order
 * @param passed calls admitted without management: the lane was off or in shadow mode, or load management failed
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
    /** The counts of one level. */
    public LevelCounts level(Criticality criticality) {
        return Objects.requireNonNull(levels.get(criticality));
    }

    /** The slots that calls hold beyond the lane's reserve. */
    public int borrowed() {
        return Math.max(0, inflight - reserved);
    }

    /** The calls of all levels that the server shed. */
    public long shed() {
        return levels.values().stream().mapToLong(LevelCounts::shed).sum();
    }

    /** The share of the capacity that never-drop calls need; above 0.6 shedding the others hardly helps. */
    public double neverDropShare() {
        return neverDropPerSecond / capacityPerSecond;
    }
}
