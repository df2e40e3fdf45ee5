package io.thalweg.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that moves only when it is set or advanced. Safe to share between threads; clocks of other zones share its time. */
public final class FakeClock extends Clock {
    private final AtomicReference<Instant> now;
    private final ZoneId zone;

    /** Creates a clock in UTC that shows {@code start}. */
    public FakeClock(Instant start) {
        this(new AtomicReference<>(start), ZoneOffset.UTC);
    }

    private FakeClock(AtomicReference<Instant> now, ZoneId zone) {
        this.now = now;
        this.zone = zone;
    }

    /** Moves the time by {@code step}, backwards if it is negative. */
    public void advance(Duration step) {
        now.updateAndGet(instant -> instant.plus(step));
    }

    /** Sets the time. */
    public void set(Instant instant) {
        now.set(instant);
    }

    @Override
    public Instant instant() {
        return Objects.requireNonNull(now.get());
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new FakeClock(now, other);
    }
}
