package io.thalweg.pipelinetest;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * A clock that only moves when it is set.
 *
 * <p><b>Threads.</b> Safe.
 */
final class MovableClock extends Clock {
    private volatile long nowMs;

    MovableClock(long nowMs) {
        this.nowMs = nowMs;
    }

    void set(long toMs) {
        nowMs = toMs;
    }

    @Override
    public long millis() {
        return nowMs;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(nowMs);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("the clock of a test is in UTC");
    }
}
