package io.thalweg.qalm;

import io.thalweg.qalm.estimate.RankGate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether to refuse a call on arrival. The gate refuses sheddable calls. Under overload, sheddable calls that would miss
 * their deadline are refused too, and calls of level 1 if never-drop calls alone exceed the capacity.
 *
 * <p><b>Threads.</b> One at a time, under the lane's lock.
 */
final class ArrivalRules {
    /** Never-drop calls are refused only after an overload of this length. */
    private static final long VALVE_ARMED_NANOS = 1_000_000_000;

    private static final int VALVE_DELAYS = 4;
    private static final int VALVE_OF_DEADLINE = 4;

    private final LaneEstimate estimate;
    private final RandomGenerator random;

    ArrivalRules(LaneEstimate estimate, RandomGenerator random) {
        this.estimate = estimate;
        this.random = random;
    }

    /**
     * Returns the reason to refuse a call, or null to queue it.
     *
     * @param ahead the weight of the calls that would be served before it
     */
    @Nullable
    Refusal refusal(Call call, NeverDrop neverDrop, int ahead, long now) {
        boolean sheddable = call.criticality.sheddable();
        if (sheddable && gateRefuses(call.rank())) {
            return Refusal.GATE;
        }
        if (!estimate.overloaded()) {
            return null;
        }
        double wait = estimate.waitNanos(ahead);
        if (sheddable) {
            boolean late = wait + estimate.medianNanos() > call.deadlineNanos - now;
            return late ? Refusal.CANNOT_FINISH : null;
        }
        boolean overflows = call.criticality == Criticality.CORE
                && neverDrop != NeverDrop.STRICT
                && estimate.overloadedNanos(now) >= VALVE_ARMED_NANOS
                && wait > patienceNanos(call, now);
        return overflows ? Refusal.CRITICAL_OVERFLOW : null;
    }

    private boolean gateRefuses(int rank) {
        RankGate.Threshold threshold = estimate.threshold();
        return rank > threshold.rank() || (rank == threshold.rank() && random.nextDouble() < threshold.share());
    }

    private long patienceNanos(Call call, long now) {
        return Math.max(VALVE_DELAYS * estimate.delayThresholdNanos(), (call.deadlineNanos - now) / VALVE_OF_DEADLINE);
    }
}
