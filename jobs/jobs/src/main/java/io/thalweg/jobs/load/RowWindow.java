package io.thalweg.jobs.load;

/**
 * Limits the number of rows in flight to a store by additive increase and multiplicative decrease. While writes meet their target
 * latency, the window grows by a batch each time that it was used up. It shrinks by a fifth when a write is slower and by half when the
 * store refuses one, but only once for all writes that were in flight together.
 *
 * <p><b>Threads.</b> Not thread-safe; its owner guards it.
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
     * Creates a window that starts with one batch.
     *
     * @param batch the maximum number of rows of a write
     * @param batches the maximum number of writes in flight
     * @param targetNanos the target latency of a write
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

    /** Records that a write completed. */
    void answered(int written, long tookNanos, long nowNanos) {
        if (tookNanos > targetNanos) {
            shrink(SLOWER, tookNanos, nowNanos);
        } else {
            rows = Math.min((double) most, rows + batch * (written / rows));
        }
    }

    /** Records that the store refused a write, which is retried. */
    void refused(long nowNanos) {
        shrink(SHRINK, targetNanos, nowNanos);
    }

    /** Shrinks the window once for all writes in flight, because they report the same congestion. */
    private void shrink(double by, long forNanos, long nowNanos) {
        if (calmUntilNanos == Long.MIN_VALUE || nowNanos - calmUntilNanos >= 0) {
            rows = Math.max(least, rows * by);
            calmUntilNanos = nowNanos + forNanos;
        }
    }
}
