package io.thalweg.qalm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A service in virtual time: callers that send calls in a Poisson stream regardless of the answers, lanes, and a pool of workers
 * with its own queue, where calls take a lognormal time (σ 0.5). The same seed yields the same run.
 */
final class Simulation {
    static final double MS = 1e6;
    static final double SECOND = 1e9;

    /** The end of a call: refused, or answered after some latency. */
    record Sample(
            String caller,
            long sentNanos,
            long latencyNanos,
            @Nullable Refusal refusal,
            boolean inTime) {}

    /** An event. Events of the process wait for the end of a pause; events from outside do not. */
    private record Event(long nanos, long order, boolean outside, Runnable action) {}

    /** A stream of calls. */
    static final class Load {
        final String caller;
        final String endpoint;
        DoubleUnaryOperator perSecond;
        long timeoutNanos = (long) (30 * SECOND);
        double serviceMs = Double.NaN;
        int weight = 1;
        /** Whether lanes know the weight. */
        boolean weightKnown = true;

        Outcome outcome = Outcome.SUCCESS;

        Load(String caller, String endpoint, double perSecond) {
            this.caller = caller;
            this.endpoint = endpoint;
            this.perSecond = second -> perSecond;
        }

        Load rate(DoubleUnaryOperator perSecondAtSecond) {
            perSecond = perSecondAtSecond;
            return this;
        }

        Load timeoutMs(long ms) {
            timeoutNanos = (long) (ms * MS);
            return this;
        }

        /** Sets the outcome that its calls report to lanes. */
        Load outcome(Outcome value) {
            outcome = value;
            return this;
        }

        /** Sets the number of workers that each call occupies at a time. */
        Load weight(int workers, boolean lanesKnow) {
            weight = workers;
            weightKnown = lanesKnow;
            return this;
        }

        Load serviceMs(double ms) {
            serviceMs = ms;
            return this;
        }
    }

    private final Random random;
    private final int workers;
    private final double serviceMs;
    private final PriorityQueue<Event> events = new PriorityQueue<>(
            (a, b) -> a.nanos != b.nanos ? Long.compare(a.nanos, b.nanos) : Long.compare(a.order, b.order));
    private final Queue<Work> pool = new ArrayDeque<>();
    private final List<Sample> samples = new ArrayList<>();
    final Qalm qalm;

    private long now = (long) (1_000 * SECOND);
    private final long start = now;
    private long order;
    private int busy;
    private long deferUntil;
    DoubleUnaryOperator slowdown = second -> 1;
    int cores = Integer.MAX_VALUE;
    long begunAfterDeadline;

    Simulation(long seed, int workers, double serviceMs, Policy policy) {
        this.random = new Random(seed);
        this.workers = workers;
        this.serviceMs = serviceMs;
        SplittableRandom seeds = new SplittableRandom(seed);
        this.qalm = new Qalm(new QalmConfig(workers, 2), policy, () -> now, seeds::split, Observer.NONE);
        at(qalm.tickNanos(), this::tick);
    }

    /** Creates a policy by caller: {@code name, level, name, level …}. */
    static Policy levels(LaneConfig lane, Object... callersAndLevels) {
        Map<String, CallerPolicy> callers = new HashMap<>();
        for (int i = 0; i < callersAndLevels.length; i += 2) {
            callers.put((String) callersAndLevels[i], new CallerPolicy(Criticality.ofLevel((Integer)
                    callersAndLevels[i + 1])));
        }
        return endpoint -> new EndpointPolicy(lane, caller -> callers.getOrDefault(caller, CallerPolicy.DEFAULT));
    }

    void at(long nanosFromNow, Runnable action) {
        add(now + nanosFromNow, false, action);
    }

    void atSecond(double second, Runnable action) {
        add(start + (long) (second * SECOND), true, action);
    }

    private void add(long nanos, boolean outside, Runnable action) {
        events.add(new Event(nanos, order++, outside, action));
    }

    double second() {
        return (now - start) / SECOND;
    }

    private void tick() {
        qalm.tick();
        at(qalm.tickNanos(), this::tick);
    }

    Simulation load(Load load) {
        schedule(load);
        return this;
    }

    private void schedule(Load load) {
        double rate = load.perSecond.applyAsDouble(second());
        // A silent stream checks every 10 ms whether it should begin.
        double gap = rate <= 0 ? 0.01 : -Math.log(1 - random.nextDouble()) / rate;
        add(now + (long) (gap * SECOND), true, () -> {
            if (rate > 0) {
                send(load, now);
            }
            schedule(load);
        });
    }

    /** Sends many calls at the same moment. */
    void burst(double atSecond, int calls, Load load) {
        atSecond(atSecond, () -> {
            for (int i = 0; i < calls; i++) {
                send(load, now);
            }
        });
    }

    /** Pauses the process: there is no work and no tick, and calls that arrive are accepted afterwards. */
    void pause(double atSecond, long millis) {
        atSecond(atSecond, () -> deferUntil = now + (long) (millis * MS));
    }

    private void send(Load load, long arrival) {
        if (now < deferUntil) {
            add(deferUntil, false, () -> send(load, arrival));
            return;
        }
        qalm.lane(load.endpoint).submit(new Work(load, arrival));
    }

    void run(double seconds) {
        long end = start + (long) (seconds * SECOND);
        while (!events.isEmpty() && events.peek().nanos <= end) {
            Event event = events.remove();
            now = event.nanos;
            if (now < deferUntil && !event.outside) {
                add(deferUntil, false, event.action);
            } else {
                event.action.run();
            }
        }
        now = end;
    }

    private int user() {
        return random.nextInt(10_000);
    }

    private double service(Load load) {
        double mean = (Double.isNaN(load.serviceMs) ? serviceMs : load.serviceMs) * MS;
        double lognormal = Math.exp(0.5 * random.nextGaussian() - 0.125);
        return mean * lognormal * slowdown.applyAsDouble(second()) * Math.max(1, (double) busy / cores);
    }

    private final class Work extends Call {
        final Load load;

        Work(Load load, long arrival) {
            super(load.caller, null, false, arrival, load.timeoutNanos, user(), 1);
            this.load = load;
            weight(load.weightKnown ? load.weight : 1);
        }

        private boolean fits() {
            return busy + load.weight <= workers;
        }

        @Override
        protected void admitted() {
            if (pool.isEmpty() && fits()) {
                work();
            } else {
                pool.add(this);
            }
        }

        private void work() {
            begin();
            begunAfterDeadline += now - arrivalNanos >= load.timeoutNanos ? 1 : 0;
            busy += load.weight;
            at((long) service(load), this::end);
        }

        private void end() {
            busy -= load.weight;
            long latency = now - arrivalNanos;
            samples.add(new Sample(load.caller, arrivalNanos - start, latency, null, latency <= load.timeoutNanos));
            release(load.outcome);
            while (!pool.isEmpty() && pool.element().fits()) {
                pool.remove().work();
            }
        }

        @Override
        protected void refused(Refusal reason) {
            samples.add(new Sample(load.caller, arrivalNanos - start, now - arrivalNanos, reason, false));
        }
    }

    /** Returns statistics of the calls that were sent between two seconds and match {@code of}. */
    Stats stats(double fromSecond, double toSecond, Predicate<Sample> of) {
        List<Sample> chosen = samples.stream()
                .filter(sample -> sample.sentNanos >= fromSecond * SECOND && sample.sentNanos < toSecond * SECOND)
                .filter(of)
                .toList();
        return new Stats(chosen, toSecond - fromSecond);
    }

    Stats stats(double fromSecond, double toSecond, String caller) {
        return stats(fromSecond, toSecond, sample -> sample.caller.equals(caller));
    }

    Stats stats(double fromSecond, double toSecond) {
        return stats(fromSecond, toSecond, sample -> true);
    }

    /** Statistics of some calls. */
    record Stats(List<Sample> samples, double seconds) {
        long count() {
            return samples.size();
        }

        long refused() {
            return samples.stream().filter(sample -> sample.refusal != null).count();
        }

        long refused(Refusal reason) {
            return samples.stream().filter(sample -> sample.refusal == reason).count();
        }

        double refusedPercent() {
            return 100.0 * refused() / Math.max(1, count());
        }

        double usefulPerSecond() {
            return samples.stream().filter(Sample::inTime).count() / seconds;
        }

        /** The latency in ms of the answered calls. */
        double latencyMs(double quantile) {
            long[] sorted = samples.stream()
                    .filter(sample -> sample.refusal == null)
                    .mapToLong(Sample::latencyNanos)
                    .sorted()
                    .toArray();
            return sorted.length == 0
                    ? Double.NaN
                    : sorted[(int) Math.min(sorted.length - 1, quantile * sorted.length)] / MS;
        }

        @Override
        public String toString() {
            return "%d calls, %.2f %% refused, p50 %.1f ms, p99 %.1f ms, useful %.1f/s"
                    .formatted(count(), refusedPercent(), latencyMs(0.5), latencyMs(0.99), usefulPerSecond());
        }
    }
}
