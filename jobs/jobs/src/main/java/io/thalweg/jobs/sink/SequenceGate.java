package io.thalweg.jobs.sink;

import java.util.concurrent.TimeUnit;

/**
 * Blocks callers numbered 1, 2, 3, ... until their number may pass or their deadline is reached.
 *
 * <p><b>Threads.</b> Safe.
 */
final class SequenceGate {
    private long letThrough;

    /** Lets all numbers up to this one pass. */
    synchronized void letThrough(long number) {
        letThrough = Math.max(letThrough, number);
        notifyAll();
    }

    /**
     * Waits until a number may pass.
     *
     * @param untilNanos the deadline, as of {@link System#nanoTime()}
     */
    synchronized void await(long number, long untilNanos) throws InterruptedException {
        long left = untilNanos - System.nanoTime();
        while (number > letThrough && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = untilNanos - System.nanoTime();
        }
    }
}
