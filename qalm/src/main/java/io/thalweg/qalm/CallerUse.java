package io.thalweg.qalm;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What one caller uses of a lane. Counters are safe to add to from any thread. */
final class CallerUse {
    /** Stands in until a call has been classified. */
    static final CallerUse NOBODY = new CallerUse("");

    private static final double NANOS = 1e9;
    /** A budget may be used up to this much ahead of its rate. */
    private static final long BURST_NANOS = 1_000_000_000;

    final String caller;
    final LongAdder admitted = new LongAdder();
    final LongAdder shed = new LongAdder();
    final LongAdder neverDrop = new LongAdder();
    final LongAdder demoted = new LongAdder();
    private final LongAdder freshNanos = new LongAdder();
    /** When the calls of levels 0 and 1 so far would have come at the budgeted rate; {@code Long.MIN_VALUE} before the first. */
    private final AtomicLong budgetedNanos = new AtomicLong(Long.MIN_VALUE);

    /** Made when a budget is first asked for: few callers have such a rule. */
    private volatile @Nullable LearnedBudget learning;

    private volatile double learned = Double.POSITIVE_INFINITY;
    private long neverDropCounted;

    /** How far above its fair share it is, 0 to 3: see {@link Callers}. */
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

    /** Lets old use fade by half and adds what is new. */
    void sweep() {
        nanos = nanos / 2 + freshNanos.sumThenReset();
    }

    long arrivals() {
        return admitted.sum() + shed.sum();
    }

    /** The budget that was learned; infinite while it is not known. From now on it is learned. */
    double learnedPerSecond() {
        if (learning == null) {
            learning = new LearnedBudget();
        }
        return learned;
    }

    /** The same, for whoever only wants to know. */
    double learned() {
        return learned;
    }

    /** One thread at a time. What callers do under overload, which they may have caused, teaches nothing. */
    void secondPassed(boolean ordinary) {
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
