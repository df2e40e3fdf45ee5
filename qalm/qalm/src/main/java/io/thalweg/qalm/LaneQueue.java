package io.thalweg.qalm;

import org.jspecify.annotations.Nullable;

/**
 * The queue of a lane. Calls leave it oldest first, and under overload the most critical first. Under overload, calls of levels 2
 * and 3 that have waited too long are evicted.
 *
 * <p><b>Threads.</b> One at a time, under the lane's lock.
 */
final class LaneQueue {
    private static final int EVICT_BACKGROUND = 2;
    private static final int EVICT_FEATURE = 4;

    private final WaitingCalls waiting = new WaitingCalls();
    private final LaneEstimate estimate;

    LaneQueue(LaneEstimate estimate) {
        this.estimate = estimate;
    }

    int size() {
        return waiting.size();
    }

    /** How long the oldest call has waited; 0 if none waits. */
    long oldestNanos(long now) {
        Call oldest = waiting.oldest();
        return oldest == null ? 0 : oldest.waitedNanos(now);
    }

    /** The weight of the calls that would be served before this one, including those in its own bucket. */
    int weightAhead(Call call) {
        return waiting.weightUpTo(WaitingCalls.bucket(call.criticality, call.cohort));
    }

    /** Adds a call. Beyond {@code max} calls, refuses the oldest of the least critical, or the newest if all are never-drop. */
    void add(Call call, int max, DecidedCalls decided) {
        call.waits();
        waiting.add(call);
        if (waiting.size() > max) {
            int worst = waiting.worst();
            boolean sheddable = worst >= WaitingCalls.first(Criticality.FEATURE);
            @Nullable Call victim = sheddable ? waiting.first(worst) : waiting.last(worst);
            if (victim != null) {
                refuse(victim, Refusal.QUEUE_FULL, decided);
            }
        }
    }

    void remove(Call call) {
        waiting.remove(call);
    }

    void refuse(Call call, Refusal reason, DecidedCalls decided) {
        waiting.remove(call);
        decided.refuse(call, reason);
    }

    /** Evicts calls that have waited longer than an overload permits. */
    void evict(long now, DecidedCalls decided) {
        evict(Criticality.BACKGROUND, EVICT_BACKGROUND, now, decided);
        evict(Criticality.FEATURE, EVICT_FEATURE, now, decided);
    }

    private void evict(Criticality level, int delays, long now, DecidedCalls decided) {
        long ageMax = delays * estimate.delayThresholdNanos();
        int end = level == Criticality.FEATURE ? WaitingCalls.first(Criticality.BACKGROUND) : WaitingCalls.BUCKETS;
        for (int bucket = WaitingCalls.first(level); bucket < end; bucket++) {
            Call head = waiting.first(bucket);
            while (head != null && head.waitedNanos(now) > ageMax) {
                refuse(head, Refusal.EVICTED, decided);
                head = waiting.first(bucket);
            }
        }
    }

    /** The call to serve next; null if none waits. */
    @Nullable
    Call next(NeverDrop neverDrop, long now) {
        if (waiting.size() == 0) {
            return null;
        }
        if (!estimate.overloaded()) {
            return waiting.oldest();
        }
        int best = waiting.best();
        boolean newestFirst = best < WaitingCalls.first(Criticality.FEATURE)
                && neverDrop == NeverDrop.UNTIL_DEADLINE
                && lastMissesItsDeadline(best, now);
        return newestFirst ? waiting.last(best) : waiting.first(best);
    }

    /** Served in order of arrival, all calls would be just too late; served newest first, some are in time. */
    private boolean lastMissesItsDeadline(int bucket, long now) {
        Call last = waiting.last(bucket);
        return last != null && estimate.waitNanos(waiting.weightUpTo(bucket)) > last.deadlineNanos - now;
    }
}
