package io.thalweg.qalm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a lane. Immutable; {@link #DEFAULT} suits most services.
 *
 * @param mode whether the lane acts
 * @param neverDrop what happens when levels 0 and 1 alone exceed the capacity
 * @param deadline the deadline of calls without one; above zero
 * @param reserve slots that only this lane may use, at least 0; null for the slots it used recently, for all lanes at most half
 * @param limit maximum calls in flight, at least 1; null for a tuned limit of at most all slots
 * @param delay the queueing delay that counts as overload, above zero; null for 0.3 × the p90 service time, within 20 to 100 ms,
 *     where an overload also requires a delay of the time that six calls take to leave the queue, up to a second
 * @param maxHealthyServiceTime a longer service time counts as slow regardless of the baseline; null for none
 * @param waitingMax maximum calls in the queue, the bound on memory; at least 1
 */
public record LaneConfig(
        Mode mode,
        NeverDrop neverDrop,
        Duration deadline,
        @Nullable Integer reserve,
        @Nullable Integer limit,
        @Nullable Duration delay,
        @Nullable Duration maxHealthyServiceTime,
        int waitingMax) {
    /** On, never-drop until the deadline, 10 s for calls without one, everything else automatic. */
    public static final LaneConfig DEFAULT =
            new LaneConfig(Mode.ON, NeverDrop.UNTIL_DEADLINE, Duration.ofSeconds(10), null, null, null, null, 50_000);

    public LaneConfig {
        positive("deadline", deadline, "10s");
        if (reserve != null && reserve < 0) {
            throw new IllegalArgumentException(
                    "reserve must be at least 0, was " + reserve + "; leave it out for an automatic value");
        }
        if (limit != null && limit < 1) {
            throw new IllegalArgumentException(
                    "limit must be at least 1, was " + limit + "; leave it out for an automatic value");
        }
        positive("delay", delay, "20ms");
        positive("max_healthy_service_time", maxHealthyServiceTime, "1s");
        if (waitingMax < 1) {
            throw new IllegalArgumentException(
                    "waiting_max must be at least 1, was " + waitingMax + "; 50000 is the default");
        }
    }

    private static void positive(String key, @Nullable Duration value, String example) {
        if (value != null && (value.isZero() || value.isNegative())) {
            throw new IllegalArgumentException(key + " must be above 0, was " + value + "; for example " + example);
        }
    }

    public LaneConfig withMode(Mode value) {
        return new LaneConfig(value, neverDrop, deadline, reserve, limit, delay, maxHealthyServiceTime, waitingMax);
    }

    public LaneConfig withNeverDrop(NeverDrop value) {
        return new LaneConfig(mode, value, deadline, reserve, limit, delay, maxHealthyServiceTime, waitingMax);
    }

    public LaneConfig withDeadline(Duration value) {
        return new LaneConfig(mode, neverDrop, value, reserve, limit, delay, maxHealthyServiceTime, waitingMax);
    }

    public LaneConfig withReserve(@Nullable Integer value) {
        return new LaneConfig(mode, neverDrop, deadline, value, limit, delay, maxHealthyServiceTime, waitingMax);
    }

    public LaneConfig withLimit(@Nullable Integer value) {
        return new LaneConfig(mode, neverDrop, deadline, reserve, value, delay, maxHealthyServiceTime, waitingMax);
    }

    public LaneConfig withDelay(@Nullable Duration value) {
        return new LaneConfig(mode, neverDrop, deadline, reserve, limit, value, maxHealthyServiceTime, waitingMax);
    }

    public LaneConfig withMaxHealthyServiceTime(@Nullable Duration value) {
        return new LaneConfig(mode, neverDrop, deadline, reserve, limit, delay, value, waitingMax);
    }

    public LaneConfig withWaitingMax(int value) {
        return new LaneConfig(mode, neverDrop, deadline, reserve, limit, delay, maxHealthyServiceTime, value);
    }
}
