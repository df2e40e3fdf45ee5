package io.thalweg.qalm;

import io.thalweg.qalm.estimate.RankGate;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.random.RandomGenerator;

/**
 * Simulates which calls a lane in shadow mode would refuse while they pass through. The real queue cannot show it, because
 * nothing is refused. Calls therefore also run through a lane with a virtual clock and virtual slots, where each takes the mean
 * real service time. The counts of that lane are the report.
 *
 * <p><b>Threads.</b> Safe; one call at a time holds its lock. Only lanes in shadow mode have this cost.
 */
final class ShadowLane {
    private static final long TICK_NANOS = 10_000_000;
    private static final int TICKS_PER_SECOND = 100;

    private final Lane lane;
    private final Slots slots;
    /** Virtual calls in flight, ordered by their end. */
    private final Queue<ShadowCall> running = new ArrayDeque<>();

    private long virtualNanos;
    private long tickNanos;
    private int ticks;
    private long serviceNanos;

    ShadowLane(String endpoint, EndpointPolicy policy, QalmConfig config, RandomGenerator random, long nowNanos) {
        this.virtualNanos = nowNanos;
        this.tickNanos = nowNanos + TICK_NANOS;
        this.slots = new Slots(config.slots());
        this.lane = new Lane(endpoint, on(policy), config, slots, () -> virtualNanos, random, Observer.NONE, null);
    }

    private static EndpointPolicy on(EndpointPolicy policy) {
        return new EndpointPolicy(policy.lane().withMode(Mode.ON), policy.callers());
    }

    synchronized void apply(EndpointPolicy policy) {
        lane.apply(on(policy));
    }

    synchronized void submit(Call real, long nowNanos, double meanNanos) {
        serviceNanos = (long) meanNanos;
        advance(nowNanos);
        lane.submit(new ShadowCall(real));
    }

    synchronized LaneSnapshot snapshot() {
        return lane.snapshot();
    }

    private void advance(long nowNanos) {
        while (true) {
            ShadowCall next = running.peek();
            long end = next == null ? nowNanos : next.endNanos;
            long event = Math.min(end, tickNanos);
            if (event - nowNanos > 0 || (next == null && event == nowNanos)) {
                break;
            }
            virtualNanos = event;
            if (event == tickNanos) {
                tick();
            } else {
                running.remove().release(Outcome.SUCCESS);
            }
        }
        virtualNanos = nowNanos;
    }

    private void tick() {
        tickNanos += TICK_NANOS;
        lane.tick(virtualNanos, 0, RankGate.Threshold.OPEN);
        if (++ticks % TICKS_PER_SECOND == 0) {
            lane.everySecond(virtualNanos, 0);
        }
    }

    private final class ShadowCall extends Call {
        private long endNanos;

        ShadowCall(Call real) {
            super(
                    real.caller,
                    real.asked,
                    real.proven,
                    real.arrivalNanos,
                    real.timeoutNanos,
                    real.affinity,
                    real.attempt);
            weight(real.weight);
        }

        @Override
        protected void admitted() {
            endNanos = virtualNanos + serviceNanos;
            running.add(this);
        }

        @Override
        protected void refused(Refusal reason) {
            // counted by the lane
        }
    }
}
