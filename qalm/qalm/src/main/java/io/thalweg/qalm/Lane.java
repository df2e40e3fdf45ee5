package io.thalweg.qalm;

import io.thalweg.qalm.estimate.RankGate;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Admission control of one endpoint. Calls are admitted at once while there are free slots; otherwise they wait, oldest first.
 * Once they wait too long the lane is overloaded: the most critical calls are served first, calls of levels 2 and 3 are refused
 * on arrival or evicted from the queue, and never-drop calls are treated as {@link NeverDrop} specifies. With either policy,
 * calls whose deadline has passed are refused.
 *
 * <p><b>Errors.</b> If load management itself fails, the call is admitted. <b>Threads.</b> Safe. Without overload a call takes no
 * lock and allocates nothing. The queue has a lock; calls are notified outside of it.
 */
public final class Lane {
    /*
     * Lane owns the lock, the slots and the order of steps. It delegates to Classifier (level and cohort of a call), LaneEstimate
     * (overload, capacity, limit), ArrivalRules (refusal on arrival), LaneQueue (next call) and CallNotifier (runs the code of calls).
     */

    private static final int SWEEP_SECONDS = 5;

    private final String endpoint;
    private final Slots slots;
    private final LongSupplier nanoTime;
    private final Occupancy occupancy;
    private final LaneEstimate estimate;
    private final ArrivalRules arrivalRules;
    private final LaneCallers callers = new LaneCallers();
    private final LaneCounts counts = new LaneCounts();
    private final ArrivalRates rates;
    private final Classifier classifier;
    private final CallNotifier notifier;
    private final @Nullable ShadowLane shadow;

    private final ReentrantLock lock = new ReentrantLock();
    private final LaneQueue queue;
    /** Whether this lane is registered with {@link Slots} as waiting for a free slot. */
    private boolean awaitsSlot;

    private int seconds;

    private volatile EndpointPolicy policy;
    private volatile int waitingCount;

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
        this.shadow = shadow;
        this.occupancy = new Occupancy(slots);
        this.estimate = new LaneEstimate(policy.lane(), config.limitMin(), config.slots(), now);
        this.arrivalRules = new ArrivalRules(estimate, random);
        this.queue = new LaneQueue(estimate);
        this.rates = new ArrivalRates(counts, now);
        this.classifier = new Classifier(slots, callers, counts);
        this.notifier = new CallNotifier(endpoint, counts, observer);
    }

    /** The endpoint's name. */
    public String endpoint() {
        return endpoint;
    }

    /** The rank above which calls are refused on arrival; 512 = none. Clients use it to hold such calls back. */
    public int thresholdRank() {
        return estimate.threshold().rank();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Submits a call; {@link Call} describes the callbacks that follow. */
    public void submit(Call call) {
        @Nullable Call decided;
        call.lane = this;
        try {
            decided = decide(call, nanoTime.getAsLong());
        } catch (RuntimeException failure) {
            notifier.failed(failure);
            decided = pass(call, nanoTime.getAsLong());
        }
        notifier.notifyAll(decided);
        if (call.undecided()) {
            notifier.notifyAll(pass(call, nanoTime.getAsLong()));
        }
    }

    private @Nullable Call decide(Call call, long now) {
        EndpointPolicy current = policy;
        classifier.classify(call, current, now);
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
        return underLock(decided -> enqueue(call, now, decided));
    }

    private Call pass(Call call, long now) {
        counts.passed.increment();
        call.pass(now);
        return call;
    }

    private void enqueue(Call call, long now, DecidedCalls decided) {
        LaneConfig config = policy.lane();
        estimate.arrived(call.rank(), call.weight);
        Refusal refusal = arrivalRules.refusal(call, config.neverDrop(), queue.weightAhead(call), now);
        if (refusal == null) {
            queue.add(call, config.waitingMax(), decided);
        } else {
            decided.refuse(call, refusal);
        }
        serve(now, decided);
    }

    /**
     * Runs {@code work} under the lock and returns the decided calls. If it fails, those decided so far are returned all the same.
     */
    private @Nullable Call underLock(Consumer<DecidedCalls> work) {
        DecidedCalls decided = new DecidedCalls();
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
            notifier.failed(failed);
        }
        return decided.first();
    }

    /** Decides the waiting calls until one must wait for a slot. */
    private void serve(long now, DecidedCalls decided) {
        LaneConfig config = policy.lane();
        boolean managed = config.mode() == Mode.ON;
        if (managed && estimate.overloaded()) {
            queue.evict(now, decided);
        }
        Call next = queue.next(config.neverDrop(), now);
        while (next != null && leaves(next, managed, now, decided)) {
            next = queue.next(config.neverDrop(), now);
        }
        estimate.crowded(occupancy.inflight(), queue.size() > 0);
        waitingCount = queue.size();
    }

    /** Decides the next call of the queue; returns false if it must wait for a slot. */
    private boolean leaves(Call next, boolean managed, long now, DecidedCalls decided) {
        if (!managed) {
            queue.remove(next);
            decided.add(pass(next, now));
        } else if (next.expired(now)) {
            queue.refuse(next, Refusal.EXPIRED, decided);
        } else if (acquire(next.weight)) {
            queue.remove(next);
            estimate.sampled(now, next.waitedNanos(now));
            next.admit(now);
            decided.add(next);
        } else {
            return false;
        }
        return true;
    }

    private boolean acquire(int weight) {
        if (occupancy.tryAcquire(weight, estimate.limit())) {
            return true;
        }
        if (awaitsSlot || occupancy.limited(weight, estimate.limit())) {
            return false;
        }
        awaitsSlot = true;
        slots.await(this);
        // A slot may have been returned before this lane was registered.
        return occupancy.tryAcquire(weight, estimate.limit());
    }

    int inflight() {
        return occupancy.inflight();
    }

    void cancelled(Call call) {
        lock.lock();
        try {
            if (!call.waiting()) {
                return;
            }
            queue.remove(call);
            waitingCount = queue.size();
            call.refuse(Refusal.CANCELLED);
        } finally {
            lock.unlock();
        }
        notifier.notifyAll(call);
    }

    void released(Call call, Outcome outcome, boolean counted) {
        long now = nanoTime.getAsLong();
        long service = now - call.admittedNanos;
        counts.ended(call.criticality, outcome);
        call.use.served(service * call.weight);
        estimate.served(outcome, service, call.weight);
        if (counted) {
            if (occupancy.release(call.weight)) {
                offer(slots);
            }
            if (waitingCount > 0) {
                serveWaiting(now);
            }
        }
        notifier.released(call, outcome, service);
    }

    /** Offers free slots to the lanes that wait for one. */
    private static void offer(Slots slots) {
        for (Lane lane = slots.nextWaiting(); lane != null; lane = slots.free() > 0 ? slots.nextWaiting() : null) {
            if (lane.takeOffered()) {
                // The lane accumulates slots for a heavy call, so no other lane may take them meanwhile.
                return;
            }
        }
    }

    /** Serves waiting calls with the free slots; returns whether the lane waits for more. */
    private boolean takeOffered() {
        lock.lock();
        try {
            awaitsSlot = false;
        } finally {
            lock.unlock();
        }
        serveWaiting(nanoTime.getAsLong());
        lock.lock();
        try {
            return awaitsSlot;
        } finally {
            lock.unlock();
        }
    }

    private void serveWaiting(long now) {
        notifier.notifyAll(underLock(decided -> serve(now, decided)));
    }

    /** Whether no call waits and the gate is open, so that a tick has nothing to do. */
    boolean calm() {
        return waitingCount == 0 && estimate.calm();
    }

    /** Updates the lane; {@code pauseNanos} is how long the process was paused since the last tick. */
    void tick(long now, long pauseNanos, RankGate.Threshold pressure) {
        if (calm() && pauseNanos == 0 && pressure.rank() == RankGate.RANKS) {
            return;
        }
        notifier.notifyAll(underLock(decided -> {
            estimate.paused(now, pauseNanos, occupancy.inflight());
            estimate.pressure(pressure);
            estimate.update(now, queue.oldestNanos(now), occupancy.inflight() + Math.max(0, slots.free()));
            serve(now, decided);
        }));
    }

    /** Updates limit, rates and callers; {@code share} is the number of slots that the lane may reserve unless configured. */
    void everySecond(long now, int share) {
        notifier.notifyAll(underLock(decided -> {
            estimate.crowded(occupancy.inflight(), false);
            estimate.regulate(now);
            reserve(share);
            rates.update(now);
            callers.everySecond(!estimate.overloaded());
            if (++seconds % SWEEP_SECONDS == 0) {
                callers.sweep();
            }
        }));
    }

    /**
     * Reserves the slots that the lane has needed recently, so that a lane with slower calls cannot take them while this one is idle.
     */
    void reserve(int share) {
        Integer fixed = policy.lane().reserve();
        occupancy.reserve(fixed != null ? fixed : Math.min(share, Math.max(1, estimate.slotsNeeded())));
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

    /** The current state of the lane. */
    public LaneSnapshot snapshot() {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            return new LaneSnapshot(
                    endpoint,
                    policy.lane().mode(),
                    estimate.overloaded(),
                    occupancy.inflight(),
                    queue.size(),
                    estimate.limit(),
                    occupancy.reserved(),
                    thresholdRank(),
                    estimate.capacityPerSecond(),
                    rates.offeredPerSecond(),
                    rates.neverDropPerSecond(),
                    rates.shedRatio(),
                    Duration.ofNanos(estimate.minDelayNanos(now, queue.oldestNanos(now))),
                    Duration.ofNanos(estimate.onsetNanos()),
                    Duration.ofNanos((long) estimate.meanNanos()),
                    counts.byLevel(),
                    callers.all().stream().map(CallerUse::snapshot).toList(),
                    counts.passed.sum(),
                    counts.failures.sum());
        } finally {
            lock.unlock();
        }
    }

    /** The decisions in shadow mode; null if the lane has no shadow. */
    public @Nullable LaneSnapshot shadowSnapshot() {
        return shadow == null ? null : shadow.snapshot();
    }
}
