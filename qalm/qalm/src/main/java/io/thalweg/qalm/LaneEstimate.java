package io.thalweg.qalm;

import io.thalweg.qalm.estimate.ConcurrencyLimit;
import io.thalweg.qalm.estimate.DelayWindow;
import io.thalweg.qalm.estimate.OverloadDetector;
import io.thalweg.qalm.estimate.RankGate;
import io.thalweg.qalm.estimate.ServiceTimes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Estimates whether a lane is overloaded, its capacity, its limit and the ranks that the gate should refuse. It only estimates:
 * {@link Lane}, {@link ArrivalRules} and {@link LaneQueue} make the decisions.
 *
 * <p><b>Threads.</b> {@link #sampled}, {@link #served} and the getters of {@code volatile} fields are safe; everything else is used
 * under the lane's lock.
 */
final class LaneEstimate {
    private static final long DELAY_NANOS_MIN = 20_000_000;
    private static final long DELAY_NANOS_MAX = 100_000_000;
    private static final double DELAY_OF_SERVICE = 0.3;
    /** With few slots, this many calls wait by chance at half of the capacity; slow calls then wait longer than any threshold. */
    private static final int CHANCE_CALLS = 6;
    /** Bounds the delay for {@link #CHANCE_CALLS}: a stall must be detected even if calls are slow or other lanes hold all slots. */
    private static final long CHANCE_NANOS_MAX = 1_000_000_000;

    private static final long REGULATE_NANOS = 50_000_000;
    private static final double SMOOTHING = 0.2;
    private static final double BUSY_NANOS = 2e9;

    private final DelayWindow delays = new DelayWindow();
    private final ServiceTimes times;
    private final OverloadDetector detector;
    private final RankGate gate;
    private final ConcurrencyLimit found;
    private final int limitMax;

    private LaneConfig config;
    private long regulatedNanos;
    private double concurrency = Double.NaN;
    private double capacityPerNano = Double.NaN;
    private double throughputPerNano;
    private double busy;
    private double medianNanos;
    private volatile double slowNanos;
    private boolean waited;
    private int inflightPeak;
    private RankGate.Threshold load = RankGate.Threshold.OPEN;
    private RankGate.Threshold pressure = RankGate.Threshold.OPEN;
    private long delayThresholdNanos = DELAY_NANOS_MAX;

    private volatile RankGate.Threshold threshold = RankGate.Threshold.OPEN;
    private volatile boolean calm = true;
    private volatile int limit;

    LaneEstimate(LaneConfig config, int limitMin, int limitMax, long nowNanos) {
        this.config = config;
        this.limitMax = limitMax;
        this.times = new ServiceTimes(nowNanos);
        this.detector = new OverloadDetector(delays, nowNanos);
        this.gate = new RankGate(nowNanos);
        this.found = new ConcurrencyLimit(limitMin, limitMax);
        this.regulatedNanos = nowNanos;
        configure(config);
    }

    void configure(LaneConfig changed) {
        config = changed;
        limit = currentLimit();
        delayThresholdNanos = delayThreshold();
    }

    /** Records the delay of a call that left the queue or never joined it. */
    void sampled(long nowNanos, long delayNanos) {
        delays.record(nowNanos, delayNanos);
    }

    /** Records the end of a call. A dropped call counts as a slow one; a call of weight {@code n} counts as {@code n} calls. */
    void served(Outcome outcome, long serviceNanos, int weight) {
        if (outcome != Outcome.IGNORED) {
            long nanos = outcome == Outcome.DROPPED ? Math.max(serviceNanos, (long) slowNanos) : serviceNanos;
            times.record(nanos, weight);
        }
    }

    void arrived(int rank, int weight) {
        gate.arrived(rank, weight);
    }

    void paused(long nowNanos, long pauseNanos, int inflight) {
        if (pauseNanos > delayThresholdNanos) {
            found.paused(inflight);
            detector.paused(nowNanos, pauseNanos);
        }
    }

    /**
     * Updates the estimates from the queue. Called every 10 ms while calls wait or the lane is overloaded.
     *
     * @param oldestNanos how long the oldest call has waited, 0 if none waits
     * @param attainable the number of calls in flight if this lane took all free slots
     */
    void update(long nowNanos, long oldestNanos, int attainable) {
        boolean before = detector.overloaded();
        detector.update(nowNanos, oldestNanos, onsetNanos(), delayThresholdNanos);
        double slots = Math.min(limit, attainable);
        concurrency = Double.isNaN(concurrency) ? slots : concurrency + SMOOTHING * (slots - concurrency);
        if (detector.overloaded() != before) {
            gate.reset(nowNanos);
            load = RankGate.Threshold.OPEN;
        }
        regulate(nowNanos);
    }

    /** Every 50 ms, adds the calls that have ended and adjusts gate and limit. */
    void regulate(long nowNanos) {
        long past = nowNanos - regulatedNanos;
        if (past >= REGULATE_NANOS) {
            regulatedNanos = nowNanos;
            times.fold(nowNanos);
            throughputPerNano += (times.lastCount() / past - throughputPerNano) / 2;
            busy += (1 - Math.exp(-past / BUSY_NANOS)) * (times.lastSumNanos() / past - busy);
            adaptLimit();
            if (times.known()) {
                capacityPerNano = (Double.isNaN(concurrency) ? limit : concurrency) / times.meanNanos();
                medianNanos = times.quantileNanos(0.5);
            }
            delayThresholdNanos = delayThreshold();
            load = detector.overloaded() ? gate.threshold(nowNanos, capacityPerSecond()) : RankGate.Threshold.OPEN;
        }
        publish();
    }

    private void adaptLimit() {
        Duration healthy = config.maxHealthyServiceTime();
        double timeMax = healthy == null ? Double.POSITIVE_INFINITY : healthy.toNanos();
        found.add(times.lastCount(), times.lastSumNanos(), inflightPeak, waited || detector.overloaded(), timeMax);
        slowNanos = Double.isNaN(found.baselineNanos()) ? 0 : 2 * found.baselineNanos();
        waited = false;
        inflightPeak = 0;
        limit = currentLimit();
    }

    private int currentLimit() {
        Integer fixed = config.limit();
        return fixed == null ? found.limit() : Math.min(fixed, limitMax);
    }

    private long delayThreshold() {
        @Nullable Duration fixed = config.delay();
        if (fixed != null) {
            return fixed.toNanos();
        }
        if (!times.known()) {
            return DELAY_NANOS_MAX;
        }
        double delay = DELAY_OF_SERVICE * times.quantileNanos(0.9);
        return (long) Math.min(DELAY_NANOS_MAX, Math.max(DELAY_NANOS_MIN, delay));
    }

    /**
     * The delay above which an overload begins: the threshold, or the time that {@value #CHANCE_CALLS} calls take to leave the
     * queue if that is longer and no threshold is configured. (Likewise, CoDel's target must cover the time that its link needs
     * for a packet.)
     */
    long onsetNanos() {
        long byChance = (long) Math.min(CHANCE_NANOS_MAX, waitNanos(CHANCE_CALLS));
        return config.delay() == null ? Math.max(delayThresholdNanos, byChance) : delayThresholdNanos;
    }

    private void publish() {
        threshold = load.or(pressure);
        calm = !detector.overloaded() && threshold.rank() == RankGate.RANKS;
    }

    /** Closes the gate because of a signal of the process, independently of this lane's queue. */
    void pressure(RankGate.Threshold ofTheProcess) {
        pressure = ofTheProcess;
        publish();
    }

    /** Records how many calls are in flight and whether calls wait; both drive the limit. */
    void crowded(int inflight, boolean queued) {
        inflightPeak = Math.max(inflightPeak, inflight);
        waited |= queued;
    }

    /** Whether there is no overload and the gate is open, so that calls may be admitted without the lock. */
    boolean calm() {
        return calm;
    }

    boolean overloaded() {
        return detector.overloaded();
    }

    long overloadedNanos(long nowNanos) {
        return detector.overloadedNanos(nowNanos);
    }

    int limit() {
        return limit;
    }

    RankGate.Threshold threshold() {
        return threshold;
    }

    /** The shortest recent wait, or that of the oldest waiting call if none has left the queue. */
    long minDelayNanos(long nowNanos, long oldestNanos) {
        return delays.samples(nowNanos) == 0 ? oldestNanos : delays.minNanos(nowNanos);
    }

    long delayThresholdNanos() {
        return delayThresholdNanos;
    }

    double medianNanos() {
        return medianNanos;
    }

    /** The mean number of slots used in the last seconds, plus two standard deviations. */
    int slotsNeeded() {
        return (int) Math.ceil(busy + 2 * Math.sqrt(busy));
    }

    /** Mean service time; 0 while unknown. */
    double meanNanos() {
        return times.known() ? times.meanNanos() : 0;
    }

    double capacityPerSecond() {
        return capacityPerNano * 1e9;
    }

    /**
     * Estimates the time until {@code calls} queued calls have started; 0 while the capacity is unknown. After a stall the mean
     * service time is too long for a while, so the observed throughput is used if it is higher.
     */
    double waitNanos(int calls) {
        return Double.isNaN(capacityPerNano) ? 0 : calls / Math.max(capacityPerNano, throughputPerNano);
    }
}
