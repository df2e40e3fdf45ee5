package io.thalweg.qalm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The callers of a lane and how heavy each is: within a level, callers above their fair share are shed first.
 *
 * <p>The fair share is the mean service time per recently active caller; up to 1.25 × of it is heaviness 0, up to 2 × is 1, up to 4 ×
 * is 2, more is 3. Callers with about equal use all have heaviness 0, so that noise selects no victim.
 *
 * <p>At most {@value #CALLERS_MAX} callers are distinguished; all others count as one. Once half of them are in use, a sweep
 * removes the callers that were silent since the last sweep.
 *
 * <p><b>Threads.</b> {@link #use} is safe; {@link #sweep} belongs to one thread at a time.
 */
final class LaneCallers {
    static final int CALLERS_MAX = 1_000;
    /** The name of all callers beyond the limit. */
    static final String OTHERS = "other";

    private final ConcurrentHashMap<String, CallerUse> known = new ConcurrentHashMap<>();
    private final CallerUse others = new CallerUse(OTHERS);

    CallerUse use(String caller) {
        CallerUse use = known.get(caller);
        return use != null ? use : admit(caller);
    }

    private CallerUse admit(String caller) {
        // Each thread may exceed the limit by one, which is acceptable because it only bounds memory.
        return known.size() >= CALLERS_MAX ? others : known.computeIfAbsent(caller, CallerUse::new);
    }

    /** Learns the budgets of the callers; {@code ordinary} is false under overload, when nothing is learned. */
    void everySecond(boolean ordinary) {
        known.values().forEach(use -> use.everySecond(ordinary));
    }

    /** Fades old use, removes silent callers and finds heavy ones. Called every five seconds. */
    void sweep() {
        Iterator<CallerUse> uses = known.values().iterator();
        double total = 0;
        int active = 0;
        while (uses.hasNext()) {
            CallerUse use = uses.next();
            if (silent(use) && known.size() > CALLERS_MAX / 2) {
                uses.remove();
                continue;
            }
            use.sweep();
            total += use.nanos;
            active += use.nanos > 0 ? 1 : 0;
        }
        double share = total / Math.max(1, active);
        known.values().forEach(use -> use.heaviness = heaviness(use.nanos, share));
    }

    private static boolean silent(CallerUse use) {
        long arrivals = use.arrivals();
        boolean silent = arrivals == use.arrivalsSwept;
        use.arrivalsSwept = arrivals;
        return silent;
    }

    private static int heaviness(double nanos, double share) {
        if (nanos <= 1.25 * share) {
            return 0;
        }
        return nanos <= 2 * share ? 1 : nanos <= 4 * share ? 2 : 3;
    }

    /** All distinguished callers, plus one entry for the others if there are any. */
    Collection<CallerUse> all() {
        List<CallerUse> all = new ArrayList<>(known.values());
        if (others.arrivals() > 0) {
            all.add(others);
        }
        return all;
    }
}
