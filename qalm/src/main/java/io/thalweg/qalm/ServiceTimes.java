package io.thalweg.qalm;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long calls take once admitted: mean and quantiles over about the last second, or over the last few calls where there are
 * not so many.
 *
 * <p><b>Units.</b> Nanoseconds. Quantiles are good to an eighth. <b>Threads.</b> {@link #record} is safe and without locks; the
 * rest belongs to one thread at a time, and what it answers changes with {@link #fold} only.
 */
final class ServiceTimes {
    /** Four cells per octave, from 1 µs up: the last holds all above two hours. */
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

    ServiceTimes(long nowNanos) {
        this.foldedNanos = nowNanos;
    }

    /** {@code times}: how many calls it counts for. */
    void record(long nanos, int times) {
        long value = Math.max(0, nanos);
        fresh.getAndAdd(cell(value), times);
        freshNanos.add(value * times);
    }

    /** Takes in what was recorded since the last time. Old samples fade, but some always remain. */
    void fold(long nowNanos) {
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

    /** Samples that the last fold brought. */
    double lastCount() {
        return lastCount;
    }

    /** Their sum. */
    double lastSumNanos() {
        return lastSum;
    }

    boolean known() {
        return total > 0;
    }

    double meanNanos() {
        return sum / total;
    }

    double quantileNanos(double q) {
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
