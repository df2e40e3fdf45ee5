package io.thalweg.qalm;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint's way in. Calls are admitted at once while there is room; else they wait, oldest first. Once they wait too long
 * the lane is overloaded: the most critical go first, those of levels 2 and 3 are refused on arrival or when they have waited
 * for long, and never-drop calls are treated as {@link NeverDrop} says. In all modes, a call whose deadline has passed is
 * never worked on.
 *
 * <p><b>Errors.</b> If load management itself fails, the call goes through. <b>Threads.</b> Safe. In calm times a call takes no
 * lock and allocates nothing; the queue has a lock of its own, and calls hear their fate outside of it.
 */
public final class Lane {
    static final int COHORTS = 128;

    private static final int USERS = 32;
    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final int EVICT_BACKGROUND = 2;
    private static final int EVICT_FEATURE = 4;
    private static final long VALVE_ARMED_NANOS = 1_000_000_000;
    private static final int VALVE_DELAYS = 4;
    private static final int VALVE_OF_DEADLINE = 4;
    private static final int SWEEP_SECONDS = 5;

    private final String endpoint;
    private final Slots slots;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final Observer observer;
    private final Occupancy occupancy;
    private final LaneEstimate estimate;
    private final Callers callers = new Callers();
    private final LaneCounts counts = new LaneCounts();
    private final ReentrantLock lock = new ReentrantLock();
    private final @Nullable ShadowLane shadow;

    private final WaitingCalls waiting = new WaitingCalls();
    private boolean hungry;
    private int seconds;
    private long countedArrivals;
    private long countedNeverDrop;
    private long countedShed;
    private long countedNanos;

    private volatile EndpointPolicy policy;
    private volatile int waitingCount;
    private volatile double offeredPerSecond;
    private volatile double neverDropPerSecond;
    private volatile double shedRatio;

    Lane(
            String endpoint,
            EndpointPolicy policy,
            QalmConfig config,
            Slots slots,
            LongSupplier nanoTime,
            RandomGenerator random,
            Observer observer,
            @Nullable ShadowLane shadow) {
        long now = nanoTime.getAsLong();
        this.endpoint = endpoint;
        this.policy = policy;
        this.slots = slots;
        this.nanoTime = nanoTime;
        this.random = random;
        this.observer = observer;
        this.shadow = shadow;
        this.occupancy = new Occupancy(slots);
        this.estimate = new LaneEstimate(policy.lane(), config.limitMin(), config.slots(), now);
        this.countedNanos = now;
    }

    /** The endpoint's name. */
    public String endpoint() {
        return endpoint;
    }

    /** The rank from which calls are refused on arrival, for callers that would rather not send them; 512 = none. */
    public int thresholdRank() {
        return estimate.threshold().rank();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Takes a call in; see {@link Call} for what follows. */
    public void submit(Call call) {
        @Nullable Call decided;
        call.lane = this;
        try {
            decided = decide(call, nanoTime.getAsLong());
        } catch (RuntimeException failure) {
            failed(failure);
            decided = pass(call, nanoTime.getAsLong());
        }
        tell(decided);
        if (call.undecided()) {
            tell(pass(call, nanoTime.getAsLong()));
        }
    }

    private @Nullable Call decide(Call call, long now) {
        EndpointPolicy current = policy;
        classify(call, current, now);
        if (current.lane().mode() != Mode.ON) {
            if (shadow != null && current.lane().mode() == Mode.SHADOW) {
                shadow.submit(call, now, estimate.meanNanos());
            }
            return pass(call, now);
        }
        if (call.expired(now)) {
            call.refuse(Refusal.EXPIRED);
            return call;
        }
        if (estimate.calm() && waitingCount == 0 && occupancy.tryAcquire(call.weight, estimate.limit())) {
            estimate.sampled(now, call.waitedNanos(now));
            call.admit(now);
            return call;
        }
        return decideWithQueue(call, now);
    }

    private Call pass(Call call, long now) {
        counts.passed.increment();
        call.pass(now);
        return call;
    }

    private void classify(Call call, EndpointPolicy current, long now) {
        CallerPolicy rule = current.callers().apply(call.caller);
        CallerUse use = callers.use(call.caller);
        Criticality level = level(call, rule);
        if (!level.sheddable()) {
            use.neverDrop.increment();
            double budget = rule.learnsBudget() ? use.learnedPerSecond() : rule.neverDropPerSecond();
            if (!use.withinBudget(budget, now)) {
                use.demoted.increment();
                level = Criticality.FEATURE;
            }
        }
        use.criticality = level;
        call.use = use;
        call.weight = Math.min(slots.weightMax(), Math.max(call.weight, rule.weight()));
        call.criticality = level;
        call.cohort = cohort(call, use, now);
        long timeout = call.timeoutNanos == Call.NO_DEADLINE
                ? current.lane().deadline().toNanos()
                : call.timeoutNanos;
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

    /** Heavy callers and retries behind the others; among equals the same users suffer for an hour, then others. */
    private static int cohort(Call call, CallerUse use, long now) {
        int hash = (call.affinity + (int) Math.floorDiv(now, HOUR_NANOS)) * 0x9E3779B9;
        int user = (hash >>> 16) % USERS;
        int groups = use.heaviness + (call.attempt > 1 ? 1 : 0);
        return Math.min(COHORTS - 1, USERS * groups + user);
    }

    private @Nullable Call decideWithQueue(Call call, long now) {
        return underLock(decided -> {
            estimate.arrived(call.rank(), call.weight);
            Refusal refusal = refusal(call, now);
            if (refusal == null) {
                call.waits();
                waiting.add(call);
                boundQueue(decided);
            } else {
                call.refuse(refusal);
                decided.add(call);
            }
            serve(now, decided);
        });
    }

    /** Works on the queue. If that fails, the calls decided on so far hear of it all the same, and those that wait go on waiting. */
    private @Nullable Call underLock(Consumer<Decided> work) {
        Decided decided = new Decided();
        RuntimeException failed = null;
        lock.lock();
        try {
            work.accept(decided);
        } catch (RuntimeException failure) {
            failed = failure;
        } finally {
            lock.unlock();
        }
        if (failed != null) {
            failed(failed);
        }
        return decided.first();
    }

    private @Nullable Refusal refusal(Call call, long now) {
        if (call.criticality.sheddable() && gateRefuses(call.rank())) {
            return Refusal.GATE;
        }
        if (!estimate.overloaded()) {
            return null;
        }
        double wait = estimate.waitNanos(waiting.weightUpTo(WaitingCalls.bucket(call.criticality, call.cohort)));
        if (call.criticality.sheddable()) {
            boolean late = wait + estimate.medianNanos() > call.deadlineNanos - now;
            return late ? Refusal.CANNOT_FINISH : null;
        }
        return call.criticality == Criticality.CORE && valveRefuses(call, wait, now) ? Refusal.CRITICAL_OVERFLOW : null;
    }

    private boolean gateRefuses(int rank) {
        Gate.Threshold threshold = estimate.threshold();
        return rank > threshold.rank() || (rank == threshold.rank() && random.nextDouble() < threshold.share());
    }

    private boolean valveRefuses(Call call, double waitNanos, long now) {
        if (policy.lane().neverDrop() == NeverDrop.STRICT || estimate.overloadedNanos(now) < VALVE_ARMED_NANOS) {
            return false;
        }
        long patience = (call.deadlineNanos - now) / VALVE_OF_DEADLINE;
        return waitNanos > Math.max(VALVE_DELAYS * estimate.delayThresholdNanos(), patience);
    }

    /** The queue is bounded by count: the least critical goes, the oldest of them first; of never-drop calls the newest. */
    private void boundQueue(Decided decided) {
        if (waiting.size() <= policy.lane().waitingMax()) {
            return;
        }
        int worst = waiting.worst();
        boolean sheddable = worst >= WaitingCalls.first(Criticality.FEATURE);
        @Nullable Call victim = sheddable ? waiting.first(worst) : waiting.last(worst);
        if (victim != null) {
            refuseWaiting(victim, Refusal.QUEUE_FULL, decided);
        }
    }

    /** Admits who can be admitted now, in the order that the state asks for. */
    private void serve(long now, Decided decided) {
        boolean managed = policy.lane().mode() == Mode.ON;
        if (managed && estimate.overloaded()) {
            evict(Criticality.BACKGROUND, EVICT_BACKGROUND, now, decided);
            evict(Criticality.FEATURE, EVICT_FEATURE, now, decided);
        }
        for (Call next = next(now); next != null; next = next(now)) {
            if (!managed) {
                waiting.remove(next);
                decided.add(pass(next, now));
            } else if (next.expired(now)) {
                refuseWaiting(next, Refusal.EXPIRED, decided);
            } else if (acquire(next.weight)) {
                waiting.remove(next);
                estimate.sampled(now, next.waitedNanos(now));
                next.admit(now);
                decided.add(next);
            } else {
                break;
            }
        }
        estimate.crowded(occupancy.inflight(), waiting.size() > 0);
        waitingCount = waiting.size();
    }

    private void evict(Criticality level, int delays, long now, Decided decided) {
        long ageMax = delays * estimate.delayThresholdNanos();
        int end = level == Criticality.FEATURE ? WaitingCalls.first(Criticality.BACKGROUND) : WaitingCalls.BUCKETS;
        for (int bucket = WaitingCalls.first(level); bucket < end; bucket++) {
            Call head = waiting.first(bucket);
            while (head != null && head.waitedNanos(now) > ageMax) {
                refuseWaiting(head, Refusal.EVICTED, decided);
                head = waiting.first(bucket);
            }
        }
    }

    private @Nullable Call next(long now) {
        if (waiting.size() == 0) {
            return null;
        }
        if (!estimate.overloaded()) {
            return waiting.oldest();
        }
        int best = waiting.best();
        return best < WaitingCalls.first(Criticality.FEATURE) && lastIsDoomed(best, now)
                ? waiting.last(best)
                : waiting.first(best);
    }

    /** In line, everybody would be served just too late; the newest first, some are in time. */
    private boolean lastIsDoomed(int bucket, long now) {
        Call last = waiting.last(bucket);
        return last != null
                && policy.lane().neverDrop() == NeverDrop.UNTIL_DEADLINE
                && estimate.waitNanos(waiting.weightUpTo(bucket)) > last.deadlineNanos - now;
    }

    private boolean acquire(int weight) {
        if (occupancy.tryAcquire(weight, estimate.limit())) {
            return true;
        }
        if (hungry || occupancy.limited(weight, estimate.limit())) {
            return false;
        }
        hungry = true;
        slots.hungry(this);
        // A slot may have come back before we stood in line for it.
        return occupancy.tryAcquire(weight, estimate.limit());
    }

    int inflight() {
        return occupancy.inflight();
    }

    private void refuseWaiting(Call call, Refusal reason, Decided decided) {
        waiting.remove(call);
        call.refuse(reason);
        decided.add(call);
    }

    void cancelled(Call call) {
        lock.lock();
        try {
            if (!call.waiting()) {
                return;
            }
            waiting.remove(call);
            waitingCount = waiting.size();
            call.refuse(Refusal.CANCELLED);
        } finally {
            lock.unlock();
        }
        tell(call);
    }

    void released(Call call, Outcome outcome, boolean counted) {
        long now = nanoTime.getAsLong();
        long service = now - call.admittedNanos;
        counts.ended(call.criticality, outcome);
        call.use.served(service * call.weight);
        estimate.served(outcome, service, call.weight);
        if (counted) {
            if (occupancy.release(call.weight)) {
                feed(slots);
            }
            if (waitingCount > 0) {
                serveWaiting(now);
            }
        }
        observer.released(endpoint, call, outcome, call.admittedNanos - call.arrivalNanos, service);
    }

    private static void feed(Slots slots) {
        for (Lane lane = slots.nextHungry(); lane != null; lane = slots.free() > 0 ? slots.nextHungry() : null) {
            if (lane.fed()) {
                // A heavy call gathers what comes back: meanwhile it is offered to nobody else.
                return;
            }
        }
    }

    /** Answers whether it wants more than there is. */
    private boolean fed() {
        lock.lock();
        try {
            hungry = false;
        } finally {
            lock.unlock();
        }
        serveWaiting(nanoTime.getAsLong());
        lock.lock();
        try {
            return hungry;
        } finally {
            lock.unlock();
        }
    }

    private void serveWaiting(long now) {
        tell(underLock(decided -> serve(now, decided)));
    }

    private void tell(@Nullable Call decided) {
        Call call = decided;
        while (call != null) {
            Call next = call.nextDecided;
            call.nextDecided = null;
            tellSafely(call);
            call = next;
        }
    }

    private void tellOne(Call call) {
        Refusal refusal = call.refusal;
        if (refusal == null) {
            call.use.admitted.increment();
            call.admitted();
            return;
        }
        counts.refused(call.criticality, refusal, call.weight);
        if (refusal.shed()) {
            call.use.shed.increment();
        }
        observer.refused(endpoint, call, refusal);
        call.refused(refusal);
    }

    /** Those behind it in the chain must hear their fate whatever one does. */
    private void tellSafely(Call call) {
        try {
            tellOne(call);
        } catch (RuntimeException failure) {
            call.release(Outcome.IGNORED);
            failed(failure);
        }
    }

    private void failed(RuntimeException failure) {
        counts.failures.increment();
        observer.failed(endpoint, failure);
    }

    /** Nobody waits and the gate is open: a tick has nothing to look at. */
    boolean calm() {
        return waitingCount == 0 && estimate.calm();
    }

    /** {@code pauseNanos}: how long the process has stood still since the last tick. */
    void tick(long now, long pauseNanos, Gate.Threshold pressure) {
        if (calm() && pauseNanos == 0 && pressure.rank() == Gate.RANKS) {
            return;
        }
        tell(underLock(decided -> {
            estimate.paused(now, pauseNanos, occupancy.inflight());
            estimate.pressure(pressure);
            Call oldest = waiting.oldest();
            estimate.look(now, oldest == null ? 0 : oldest.waitedNanos(now), attainable());
            serve(now, decided);
        }));
    }

    private int attainable() {
        return occupancy.inflight() + Math.max(0, slots.free());
    }

    /** Every second. {@code share}: slots that the lane may keep to itself if nobody has said how many. */
    void keepHouse(long now, int share) {
        tell(underLock(decided -> {
            estimate.crowded(occupancy.inflight(), false);
            estimate.regulate(now);
            reserve(share);
            countOffered(now);
            callers.secondPassed(!estimate.overloaded());
            if (++seconds % SWEEP_SECONDS == 0) {
                callers.sweep();
            }
        }));
    }

    /** Keeps the slots that it needed lately, so that a neighbour with slower calls cannot take them in a quiet moment. */
    void reserve(int share) {
        Integer fixed = policy.lane().reserve();
        occupancy.reserve(fixed != null ? fixed : Math.min(share, Math.max(1, estimate.slotsNeeded())));
    }

    private void countOffered(long now) {
        double past = (now - countedNanos) / 1e9;
        if (past <= 0) {
            return;
        }
        long arrivals = counts.arrivals();
        long neverDrop = counts.neverDropArrivals();
        offeredPerSecond = (arrivals - countedArrivals) / past;
        neverDropPerSecond = (neverDrop - countedNeverDrop) / past;
        long shed = counts.shed();
        shedRatio = Math.min(1, (double) (shed - countedShed) / Math.max(1, arrivals - countedArrivals));
        countedShed = shed;
        countedArrivals = arrivals;
        countedNeverDrop = neverDrop;
        countedNanos = now;
    }

    void apply(EndpointPolicy changed) {
        lock.lock();
        try {
            policy = changed;
            estimate.configure(changed.lane());
        } finally {
            lock.unlock();
        }
        serveWaiting(nanoTime.getAsLong());
        if (shadow != null) {
            shadow.apply(changed);
        }
    }

    /** How the lane stands now. */
    public LaneSnapshot snapshot() {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            Call oldest = waiting.oldest();
            long oldestNanos = oldest == null ? 0 : oldest.waitedNanos(now);
            return new LaneSnapshot(
                    endpoint,
                    policy.lane().mode(),
                    estimate.overloaded(),
                    occupancy.inflight(),
                    waiting.size(),
                    estimate.limit(),
                    occupancy.reserved(),
                    thresholdRank(),
                    estimate.capacityPerSecond(),
                    offeredPerSecond,
                    neverDropPerSecond,
                    shedRatio,
                    Duration.ofNanos(estimate.minDelayNanos(now, oldestNanos)),
                    Duration.ofNanos(estimate.onsetNanos()),
                    Duration.ofNanos((long) estimate.meanNanos()),
                    counts.byLevel(),
                    callerSnapshots(),
                    counts.passed.sum(),
                    counts.failures.sum());
        } finally {
            lock.unlock();
        }
    }

    /** What the lane would have done while it is in shadow mode; null if it never could. */
    public @Nullable LaneSnapshot shadowSnapshot() {
        return shadow == null ? null : shadow.snapshot();
    }

    private List<CallerSnapshot> callerSnapshots() {
        return callers.all().stream()
                .map(use -> new CallerSnapshot(
                        use.caller,
                        use.criticality,
                        use.admitted.sum(),
                        use.shed.sum(),
                        use.neverDrop.sum(),
                        use.demoted.sum(),
                        use.learned(),
                        use.heaviness))
                .toList();
    }
}
