package io.thalweg.model.deployment;

import java.io.Serializable;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/**
 * What "now" means to a job: the wall clock, or a simulated one that runs {@code speed} times as fast from an anchor on. It is a
 * value that is shipped to every operator, so that all of them agree.
 *
 * @param wallAnchorMs the wall time, epoch milliseconds, at which the simulated clock shows {@code simAnchorMs}
 * @param simAnchorMs the simulated time at the anchor, epoch milliseconds
 * @param speed simulated milliseconds per millisecond of wall time; finite and above 0
 */
public record ClockSpec(long wallAnchorMs, long simAnchorMs, double speed) implements Serializable {
    public ClockSpec {
        if (!(speed > 0 && speed < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "speed must be finite and above 0, was %s; for example 10".formatted(speed));
        }
    }

    /** Returns the wall clock. */
    public static ClockSpec system() {
        return new ClockSpec(0, 0, 1);
    }

    /** Returns the time of this clock, in epoch milliseconds, when the wall clock is at {@code wallMs}. */
    public long nowMs(long wallMs) {
        return simAnchorMs + (long) Math.floor((wallMs - wallAnchorMs) * speed);
    }

    /** Returns this clock, driven by {@code wall} and in its zone. */
    public Clock toClock(Clock wall) {
        return new Running(this, wall);
    }

    private static final class Running extends Clock {
        private final ClockSpec spec;
        private final Clock wall;

        Running(ClockSpec spec, Clock wall) {
            this.spec = spec;
            this.wall = wall;
        }

        @Override
        public ZoneId getZone() {
            return wall.getZone();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return new Running(spec, wall.withZone(zone));
        }

        @Override
        public long millis() {
            return spec.nowMs(wall.millis());
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }
    }
}
