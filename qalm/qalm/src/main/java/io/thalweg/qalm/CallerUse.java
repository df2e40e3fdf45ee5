package io.thalweg.qalm;

import io.thalweg.qalm.estimate.LearnedBudget;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The calls and the service time of one caller in a lane. Counters are safe to increment from any thread. */
final class CallerUse {
    /** The placeholder of a call that is not classified yet. */
    static final CallerUse NONE = new CallerUse("");

    private static final double NANOS = 1e9;
    /** How far a caller may run ahead of its budgeted rate. */
    private static final long BURST_NANOS = 1_000_000_000;

    final String caller;
    final LongAdder admitted = new LongAdder();
    final LongAdder shed = new LongAdder();
    final LongAdder neverDrop = new LongAdder();
    final LongAdder demoted = new LongAdder();
    private final LongAdder freshNanos = new LongAdder();
    /** The time at which the calls of levels 0 and 1 so far would have arrived at the budgeted rate; {@code Long.MIN_VALUE} before the first. */
    private final AtomicLong budgetedNanos = new AtomicLong(Long.MIN_VALUE);

    /** Created when a learned budget is first used, because few callers have such a rule. */
    private volatile @Nullable LearnedBudget learning;

    private volatile double learned = Double.POSITIVE_INFINITY;
    private long neverDropCounted;

    /** How far its use exceeds the fair share, 0 to 3: see {@link LaneCallers}. */
    volatile int heaviness;

    volatile Criticality criticality = Criticality.FEATURE;
    double nanos;
    long arrivalsSwept;

    CallerUse(String caller) {
        this.caller = caller;
    }

    void served(long serviceNanos) {
        freshNanos.add(serviceNanos);
    }

    /** Halves the old use and adds the new. */
    void sweep() {
        nanos = nanos / 2 + freshNanos.sumThenReset();
    }

    long arrivals() {
        return admitted.sum() + shed.sum();
    }

    /** The learned budget; infinite while unknown. The first invocation starts the learning. */
    double learnedPerSecond() {
        if (learning == null) {
            learning = new LearnedBudget();
        }
        return learned;
    }

    /** Learns from the last second, except under overload, which the caller may have caused. One thread at a time. */
    void everySecond(boolean ordinary) {
        LearnedBudget budget = learning;
        if (budget == null) {
            return;
        }
        long calls = neverDrop.sum();
        long fresh = calls - neverDropCounted;
        neverDropCounted = calls;
        if (ordinary && fresh > 0) {
            budget.second(fresh);
            learned = budget.perSecond();
        }
    }

    CallerSnapshot snapshot() {
        return new CallerSnapshot(
                caller, criticality, admitted.sum(), shed.sum(), neverDrop.sum(), demoted.sum(), learned, heaviness);
    }

    /** Whether one more never-drop call at this time is within the budget. */
    boolean withinBudget(double perSecond, long nowNanos) {
        if (perSecond == Double.POSITIVE_INFINITY) {
            return true;
        }
        if (perSecond == 0) {
            return false;
        }
        long step = (long) (NANOS / perSecond);
        while (true) {
            long before = budgetedNanos.get();
            long from = before == Long.MIN_VALUE || before - nowNanos < 0 ? nowNanos : before;
            if (from - nowNanos > BURST_NANOS) {
                return false;
            }
            if (budgetedNanos.compareAndSet(before, from + step)) {
                return true;
            }
        }
    }
}
