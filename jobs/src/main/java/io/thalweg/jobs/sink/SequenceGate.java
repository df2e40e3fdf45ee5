package io.thalweg.jobs.sink;

import java.util.concurrent.TimeUnit;

/**
 * Holds back what is numbered 1, 2, 3, ... until it may pass, or its time has come.
 *
 * <p><b>Threads.</b> Safe.
 */
final class SequenceGate {
    private long letThrough;

    /** Numbers up to this one may pass. */
    synchronized void letThrough(long number) {
        letThrough = Math.max(letThrough, number);
        notifyAll();
    }

    /**
     * Waits until a number may pass.
     *
     * @param untilNanos at most until then, as of {@link System#nanoTime()}
     */
    synchronized void await(long number, long untilNanos) throws InterruptedException {
        long left = untilNanos - System.nanoTime();
        while (number > letThrough && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = untilNanos - System.nanoTime();
        }
    }
}
