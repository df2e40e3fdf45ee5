package io.thalweg.qalm.estimate;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The mean and quantiles of the service times of admitted calls, over about the last second, or over the last calls if there are few.
 *
 * <p><b>Units.</b> Nanoseconds. The relative error of quantiles is at most an eighth. <b>Threads.</b> {@link #record} is safe and
 * takes no lock; everything else belongs to one thread at a time. Results change only with {@link #fold}.
 */
public final class ServiceTimes {
    /** Four cells per octave, from 1 µs; the last cell contains all times above two hours. */
    private static final int CELLS = 4 * 33;

    private static final double FORGET_NANOS = 1e9;
    private static final double KEPT_SAMPLES = 20;

    private final AtomicIntegerArray fresh = new AtomicIntegerArray(CELLS);
    private final LongAdder freshNanos = new LongAdder();
    private final double[] counts = new double[CELLS];
    private double total;
    private double sum;
    private double lastCount;
    private double lastSum;
    private long foldedNanos;

    public ServiceTimes(long nowNanos) {
        this.foldedNanos = nowNanos;
    }

    /** Records a call that counts {@code times} times. */
    public void record(long nanos, int times) {
        long value = Math.max(0, nanos);
        fresh.getAndAdd(cell(value), times);
        freshNanos.add(value * times);
    }

    /** Adds the calls recorded since the last fold. Old samples fade, but some always remain. */
    public void fold(long nowNanos) {
        double keep = Math.exp(-(nowNanos - foldedNanos) / FORGET_NANOS);
        keep = Math.max(keep, Math.min(1, KEPT_SAMPLES / Math.max(total, 1)));
        foldedNanos = nowNanos;
        lastCount = 0;
        lastSum = freshNanos.sumThenReset();
        for (int i = 0; i < CELLS; i++) {
            int added = fresh.get(i) == 0 ? 0 : fresh.getAndSet(i, 0);
            counts[i] = counts[i] * keep + added;
            lastCount += added;
        }
        total = total * keep + lastCount;
        sum = sum * keep + lastSum;
    }

    /** The number of samples of the last fold. */
    public double lastCount() {
        return lastCount;
    }

    /** The sum of the samples of the last fold. */
    public double lastSumNanos() {
        return lastSum;
    }

    public boolean known() {
        return total > 0;
    }

    public double meanNanos() {
        return sum / total;
    }

    public double quantileNanos(double q) {
        double left = q * total;
        for (int i = 0; i < CELLS; i++) {
            left -= counts[i];
            if (left <= 0 && counts[i] > 0) {
                return middle(i);
            }
        }
        return middle(CELLS - 1);
    }

    private static int cell(long nanos) {
        long micros4 = nanos / 250; // in quarter µs, so that the two bits below the highest exist from 1 µs on
        if (micros4 < 4) {
            return 0;
        }
        int octave = 61 - Long.numberOfLeadingZeros(micros4); // 4 → 0
        int quarter = (int) (micros4 >>> octave) & 3;
        return Math.min(CELLS - 1, 4 * octave + quarter);
    }

    private static double middle(int cell) {
        return Math.scalb((4 + cell % 4 + 0.5) * 250, cell / 4);
    }
}
