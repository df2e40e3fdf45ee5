package io.thalweg.qalm;

import io.thalweg.qalm.estimate.RankGate;

/**
 * Assigns each arriving call its level, cohort, weight and deadline, from the rules and its caller's use.
 *
 * <p><b>Threads.</b> Safe.
 */
final class Classifier {
    /** The number of groups of a caller's users; the users of a group are shed together. */
    private static final int USERS = 32;

    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private final Slots slots;
    private final LaneCallers callers;
    private final LaneCounts counts;

    Classifier(Slots slots, LaneCallers callers, LaneCounts counts) {
        this.slots = slots;
        this.callers = callers;
        this.counts = counts;
    }

    void classify(Call call, EndpointPolicy policy, long now) {
        CallerPolicy rule = policy.callers().apply(call.caller);
        CallerUse use = callers.use(call.caller);
        Criticality level = withinBudget(level(call, rule), rule, use, now);
        use.criticality = level;
        call.use = use;
        call.weight = Math.min(slots.weightMax(), Math.max(call.weight, rule.weight()));
        call.criticality = level;
        call.cohort = cohort(call, use, now);
        long timeout =
                call.timeoutNanos == Call.NO_DEADLINE ? policy.lane().deadline().toNanos() : call.timeoutNanos;
        call.deadlineNanos = call.arrivalNanos + timeout;
        counts.arrived(level, call.weight);
    }

    private static Criticality level(Call call, CallerPolicy rule) {
        Criticality asked = call.asked;
        if (asked == null) {
            return rule.criticality();
        }
        return call.proven && rule.mayRaise() ? asked : asked.or(rule.criticality());
    }

    /** Returns the level, demoted to level 2 for a never-drop call beyond its caller's budget. */
    private static Criticality withinBudget(Criticality level, CallerPolicy rule, CallerUse use, long now) {
        if (level.sheddable()) {
            return level;
        }
        use.neverDrop.increment();
        double budget = rule.learnsBudget() ? use.learnedPerSecond() : rule.neverDropPerSecond();
        if (use.withinBudget(budget, now)) {
            return level;
        }
        use.demoted.increment();
        return Criticality.FEATURE;
    }

    /** Ranks heavy callers and retries behind the others. Among equals the same users are shed for an hour, then others. */
    private static int cohort(Call call, CallerUse use, long now) {
        int hash = (call.affinity + (int) Math.floorDiv(now, HOUR_NANOS)) * 0x9E3779B9;
        int user = (hash >>> 16) % USERS;
        int groups = use.heaviness + (call.attempt > 1 ? 1 : 0);
        return Math.min(RankGate.COHORTS - 1, USERS * groups + user);
    }
}
