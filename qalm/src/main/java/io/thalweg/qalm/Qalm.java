package io.thalweg.qalm;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The lanes of a process. Somebody calls {@link #tick} every 10 ms; {@code io.thalweg.qalm.live} does.
 *
 * <p><b>Threads.</b> Safe, but {@link #tick} belongs to one thread.
 */
public final class Qalm {
    /** How often {@link #tick} wants to be called. */
    public static final long TICK_NANOS = 10_000_000;

    /** The most lanes there can be: endpoints beyond share the last one. A client that makes up paths must not fill the memory. */
    static final int LANES_MAX = 1_000;

    private static final String OTHERS = "other";
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final double PRESSURE_FROM = 0.6;

    private final QalmConfig config;
    private final LongSupplier nanoTime;
    private final Supplier<RandomGenerator> randoms;
    private final Observer observer;
    private final Slots slots;
    private final ConcurrentHashMap<String, Lane> lanes = new ConcurrentHashMap<>();
    private final List<DoubleSupplier> signals = new CopyOnWriteArrayList<>();

    private volatile Policy policy;
    private long tickedNanos;
    private long housekeptNanos;

    /**
     * @param nanoTime a clock that never goes back, in nanoseconds
     * @param randoms makes a generator for each lane, which uses it from one thread at a time
     */
    public Qalm(
            QalmConfig config,
            Policy policy,
            LongSupplier nanoTime,
            Supplier<RandomGenerator> randoms,
            Observer observer) {
        this.config = config;
        this.policy = policy;
        this.nanoTime = nanoTime;
        this.randoms = randoms;
        this.observer = observer;
        this.slots = new Slots(config.slots());
        this.tickedNanos = nanoTime.getAsLong();
        this.housekeptNanos = tickedNanos;
    }

    /** The lane of an endpoint; made at the first call. */
    public Lane lane(String endpoint) {
        Lane lane = lanes.get(endpoint);
        if (lane != null) {
            return lane;
        }
        return lanes.computeIfAbsent(lanes.size() >= LANES_MAX ? OTHERS : endpoint, this::newLane);
    }

    private Lane newLane(String endpoint) {
        EndpointPolicy current = policy.endpoint(endpoint);
        ShadowLane shadow = new ShadowLane(endpoint, current, config, randoms.get(), nanoTime.getAsLong());
        Lane lane = new Lane(endpoint, current, config, slots, nanoTime, randoms.get(), observer, shadow);
        lane.reserve(share());
        return lane;
    }

    /** What each lane may keep to itself: together half of the slots, so that the other half goes where the load is. */
    private int share() {
        return config.slots() / (2 * Math.max(1, lanes.size()));
    }

    /** The time by which calls are stamped. */
    public long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Puts a policy in force, at once and for all lanes. */
    public synchronized void apply(Policy changed) {
        policy = changed;
        lanes.forEach((endpoint, lane) -> lane.apply(changed.endpoint(endpoint)));
    }

    /**
     * Adds a sign of overload that no queue shows: memory after a collection, the delay of an event loop, waiting for a
     * connection. From 0.6 of 1 on the gate of all lanes closes for level 3, from 0.8 for level 2; never for levels 0 and 1.
     */
    public void addSignal(DoubleSupplier pressure) {
        signals.add(pressure);
    }

    /** Looks at all lanes; every 10 ms. What comes much later shows that the process stood still. */
    public void tick() {
        long now = nanoTime.getAsLong();
        long late = now - tickedNanos - TICK_NANOS;
        tickedNanos = now;
        long pause = late > TICK_NANOS ? late : 0;
        Gate.Threshold pressure = pressure();
        lanes.values().forEach(lane -> lane.tick(now, pause, pressure));
        if (now - housekeptNanos >= SECOND_NANOS) {
            housekeptNanos = now;
            int share = share();
            lanes.values().forEach(lane -> lane.keepHouse(now, share));
        }
    }

    private Gate.Threshold pressure() {
        double worst = 0;
        for (DoubleSupplier signal : signals) {
            worst = Math.max(worst, signal.getAsDouble());
        }
        if (!(worst > PRESSURE_FROM)) {
            return Gate.Threshold.OPEN;
        }
        double closed = Math.min(1, (worst - PRESSURE_FROM) / (1 - PRESSURE_FROM));
        return new Gate.Threshold((int) (Gate.RANKS - closed * (Gate.RANKS - Gate.SHEDDABLE)), 1);
    }

    /** How all lanes stand, by endpoint. */
    public List<LaneSnapshot> snapshot() {
        return lanes.values().stream()
                .map(Lane::snapshot)
                .sorted(Comparator.comparing(LaneSnapshot::endpoint))
                .toList();
    }
}
