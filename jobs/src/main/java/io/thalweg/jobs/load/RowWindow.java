package io.thalweg.jobs.load;

/**
 * How many rows may be on their way to a store at once: additive increase, multiplicative decrease. While writes take no longer
 * than they should, it grows by a batch for each time that it was used up; when one takes longer, or the store gives way, it
 * shrinks by half, but not for every write of those that were under way together.
 *
 * <p><b>Threads.</b> Not safe: its owner guards it.
 */
final class RowWindow {
    private static final double SHRINK = 0.5;
    private static final double SLOWER = 0.8;

    private final int batch;
    private final int least;
    private final long most;
    private final long targetNanos;
    private double rows;
    private long calmUntilNanos = Long.MIN_VALUE;

    /**
     * A window of one batch, to begin with.
     *
     * @param batch the most rows of a write
     * @param batches the most writes under way
     * @param targetNanos what a write may take
     */
    RowWindow(int batch, int batches, long targetNanos) {
        this.batch = batch;
        this.least = Math.max(1, batch / 16);
        this.most = (long) batch * batches;
        this.targetNanos = targetNanos;
        this.rows = batch;
    }

    long rows() {
        return (long) rows;
    }

    /** The current batch size: as many rows as configured, or fewer if fewer may be in flight. */
    int batchRows() {
        return (int) Math.min(batch, rows());
    }

    /** Notes that a write was answered. */
    void answered(int written, long tookNanos, long nowNanos) {
        if (tookNanos > targetNanos) {
            shrink(SLOWER, tookNanos, nowNanos);
        } else {
            rows = Math.min((double) most, rows + batch * (written / rows));
        }
    }

    /** Notes that the store gave way. */
    void refused(long nowNanos) {
        shrink(SHRINK, targetNanos, nowNanos);
    }

    /** Once for all that was under way: their answers say the same. */
    private void shrink(double by, long forNanos, long nowNanos) {
        if (calmUntilNanos == Long.MIN_VALUE || nowNanos - calmUntilNanos >= 0) {
            rows = Math.max(least, rows * by);
            calmUntilNanos = nowNanos + forNanos;
        }
    }
}
