package io.thalweg.qalm;

import io.thalweg.qalm.estimate.RankGate;
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
 * The lanes of a process. {@link #tick} must be called every {@link #tickNanos}; {@code io.thalweg.qalm.live} does so.
 *
 * <p><b>Threads.</b> Safe, but {@link #tick} belongs to one thread.
 */
public final class Qalm {
    /** The period of ticks while calls wait or a gate is closed, and for a second after. */
    static final long TICK_NANOS = 10_000_000;

    /** The period of ticks otherwise. Each tick wakes a thread, which is a large part of the cost under low load. */
    static final long CALM_TICK_NANOS = 100_000_000;

    /** The maximum number of lanes; further endpoints share one. A client that invents paths must not exhaust memory. */
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
    private long secondStartNanos;
    private volatile double latenessNanos;

    /**
     * Creates lanes on demand.
     *
     * @param nanoTime a monotonic clock, in nanoseconds
     * @param randoms creates a generator for each lane, which uses it from one thread at a time
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
        this.secondStartNanos = tickedNanos;
        this.alertNanos = tickedNanos - SECOND_NANOS;
    }

    /** Returns the lane of an endpoint, which the first call creates. */
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

    /** The number of slots that each lane may reserve: half of all slots in total, so that the other half follows the load. */
    private int share() {
        return config.slots() / (2 * Math.max(1, lanes.size()));
    }

    /** The current time of the clock that timestamps the arrival of calls. */
    public long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Applies a policy to all lanes at once. */
    public synchronized void apply(Policy changed) {
        policy = changed;
        lanes.forEach((endpoint, lane) -> lane.apply(changed.endpoint(endpoint)));
    }

    /**
     * Adds a signal of overload that no queue shows: heap in use after a collection, the delay of an event loop, the wait for a
     * connection. Above 0.6 the gates of all lanes start to refuse calls of level 3, above 0.8 of level 2; never of levels 0 and 1.
     *
     * @param name its key in {@link #pressures}; replaces a signal of the same name
     * @param pressure from 0 to 1, NaN if unknown; read at each tick, so it must be fast. If it throws, the failure is reported
     *     to the observer as endpoint {@code signal NAME} and the signal is removed
     */
    public void addSignal(String name, DoubleSupplier pressure) {
        signals.put(name, pressure);
    }

    /** The pressures at the last tick, by signal. */
    public Map<String, Double> pressures() {
        return Map.copyOf(pressures);
    }

    /** The mean delay of ticks over about a second: how long threads of this process wait for a processor. */
    public double latenessNanos() {
        return latenessNanos;
    }

    /** The number of pauses of the process above 10 ms; waits because of a pause do not count as overload. */
    public long pauses() {
        return pauses.sum();
    }

    /** The maximum number of calls in flight in all lanes together. */
    public int slots() {
        return config.slots();
    }

    /** The number of slots that no call holds and no lane reserves, which lanes can borrow. */
    public int slotsFree() {
        return Math.max(0, slots.free());
    }

    /** The time from the last {@link #tick} to the next. */
    public long tickNanos() {
        return tickNanos;
    }

    /** Updates all lanes. A tick that is more than 10 ms late indicates a pause of the process. */
    public void tick() {
        long now = nanoTime.getAsLong();
        long past = now - tickedNanos;
        long late = past - tickNanos;
        tickedNanos = now;
        double before = latenessNanos;
        latenessNanos = before + Math.min(1, (double) past / SECOND_NANOS) * (Math.max(0, late) - before);
        long pause = 0;
        if (late > TICK_NANOS) {
            // The pause may have started right after the last tick.
            pause = past - TICK_NANOS;
            pauses.increment();
        }
        RankGate.Threshold pressure = pressure();
        for (Lane lane : lanes.values()) {
            lane.tick(now, pause, pressure);
            if (!lane.calm()) {
                alertNanos = now;
            }
        }
        tickNanos = now - alertNanos < SECOND_NANOS ? TICK_NANOS : CALM_TICK_NANOS;
        if (now - secondStartNanos >= SECOND_NANOS) {
            secondStartNanos = now;
            int share = share();
            lanes.values().forEach(lane -> lane.everySecond(now, share));
        }
    }

    private RankGate.Threshold pressure() {
        double worst = 0;
        for (Map.Entry<String, DoubleSupplier> signal : signals.entrySet()) {
            double pressure = pressure(signal.getKey(), signal.getValue());
            worst = pressure > worst ? pressure : worst;
        }
        if (worst <= PRESSURE_FROM) {
            return RankGate.Threshold.OPEN;
        }
        double closed = Math.min(1, (worst - PRESSURE_FROM) / (1 - PRESSURE_FROM));
        return new RankGate.Threshold((int) (RankGate.RANKS - closed * (RankGate.RANKS - RankGate.SHEDDABLE)), 1);
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

    /** The state of all lanes, ordered by endpoint. */
    public List<LaneSnapshot> snapshot() {
        return lanes.values().stream()
                .map(Lane::snapshot)
                .sorted(Comparator.comparing(LaneSnapshot::endpoint))
                .toList();
    }
}
