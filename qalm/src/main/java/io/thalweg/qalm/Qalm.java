package io.thalweg.qalm;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The lanes of a process. Somebody calls {@link #tick} whenever {@link #tickNanos} have passed; {@code io.thalweg.qalm.live} does.
 *
 * <p><b>Threads.</b> Safe, but {@link #tick} belongs to one thread.
 */
public final class Qalm {
    /** Between ticks while calls wait or a gate is closed, and for a second after. */
    static final long TICK_NANOS = 10_000_000;

    /** Between ticks in calm times: each wakes a thread, and where there is little to do that is a good part of all that is done. */
    static final long CALM_TICK_NANOS = 100_000_000;

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
    private final ConcurrentHashMap<String, DoubleSupplier> signals = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Double> pressures = new ConcurrentHashMap<>();
    private final LongAdder pauses = new LongAdder();

    private volatile Policy policy;
    private long tickedNanos;
    private long alertNanos;
    private long tickNanos = CALM_TICK_NANOS;
    private long housekeptNanos;
    private volatile double latenessNanos;

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
        this.alertNanos = tickedNanos - SECOND_NANOS;
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
     *
     * @param name what {@link #pressures} calls it; one of the same name is replaced
     * @param pressure asked at each tick, so it must be quick; NaN = not known. One that throws is reported to the observer, as of an
     *     endpoint {@code signal NAME}, and not asked again
     */
    public void addSignal(String name, DoubleSupplier pressure) {
        signals.put(name, pressure);
    }

    /** What the signals said at the last tick, by name. */
    public Map<String, Double> pressures() {
        return Map.copyOf(pressures);
    }

    /** How late ticks come, on average of the last second or so: how long this process waits for a processor. */
    public double latenessNanos() {
        return latenessNanos;
    }

    /** How often the process has stood still for more than 10 ms: what calls waited because of it is held against nobody. */
    public long pauses() {
        return pauses.sum();
    }

    /** Calls worked on at a time, of all lanes together. */
    public int slots() {
        return config.slots();
    }

    /** Slots that nobody holds and no lane keeps to itself: what is there to borrow. */
    public int slotsFree() {
        return Math.max(0, slots.free());
    }

    /** How long after the last {@link #tick} the next should come. */
    public long tickNanos() {
        return tickNanos;
    }

    /** Looks at all lanes. What comes much later than it should shows that the process stood still. */
    public void tick() {
        long now = nanoTime.getAsLong();
        long past = now - tickedNanos;
        long late = past - tickNanos;
        tickedNanos = now;
        double before = latenessNanos;
        latenessNanos = before + Math.min(1, (double) past / SECOND_NANOS) * (Math.max(0, late) - before);
        long pause = 0;
        if (late > TICK_NANOS) {
            // It may have begun as soon as the last tick was over.
            pause = past - TICK_NANOS;
            pauses.increment();
        }
        Gate.Threshold pressure = pressure();
        for (Lane lane : lanes.values()) {
            lane.tick(now, pause, pressure);
            if (!lane.calm()) {
                alertNanos = now;
            }
        }
        tickNanos = now - alertNanos < SECOND_NANOS ? TICK_NANOS : CALM_TICK_NANOS;
        if (now - housekeptNanos >= SECOND_NANOS) {
            housekeptNanos = now;
            int share = share();
            lanes.values().forEach(lane -> lane.keepHouse(now, share));
        }
    }

    private Gate.Threshold pressure() {
        double worst = 0;
        for (Map.Entry<String, DoubleSupplier> signal : signals.entrySet()) {
            double pressure = pressure(signal.getKey(), signal.getValue());
            worst = pressure > worst ? pressure : worst;
        }
        if (worst <= PRESSURE_FROM) {
            return Gate.Threshold.OPEN;
        }
        double closed = Math.min(1, (worst - PRESSURE_FROM) / (1 - PRESSURE_FROM));
        return new Gate.Threshold((int) (Gate.RANKS - closed * (Gate.RANKS - Gate.SHEDDABLE)), 1);
    }

    private double pressure(String name, DoubleSupplier signal) {
        double pressure = 0;
        try {
            pressure = signal.getAsDouble();
        } catch (RuntimeException e) {
            signals.remove(name, signal);
            observer.failed("signal " + name, e);
        }
        pressures.put(name, pressure);
        return pressure;
    }

    /** How all lanes stand, by endpoint. */
    public List<LaneSnapshot> snapshot() {
        return lanes.values().stream()
                .map(Lane::snapshot)
                .sorted(Comparator.comparing(LaneSnapshot::endpoint))
                .toList();
    }
}
