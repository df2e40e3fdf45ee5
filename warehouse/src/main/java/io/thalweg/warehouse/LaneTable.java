package io.thalweg.warehouse;

import java.util.function.Consumer;

/**
 * A connection to a table.
 *
 * <p><b>Threads.</b> Safe.
 */
public interface LaneTable extends AutoCloseable {
    /**
     * A lane of its own. Opening it asks nothing of the warehouse; the first rows do.
     *
     * @param retried takes the cause of each request that is sent again; called by any thread, and must not wait
     */
    Lane lane(Consumer<RetryCause> retried);

    /**
     * Makes rows visible, or gives a stream up; that it cannot be given up is not a failure. To commit again changes nothing.
     *
     * @throws LostCommitException if they cannot be committed any more
     * @throws WarehouseException if the warehouse refuses or does not answer; it may be tried again
     */
    void commit(LaneCommit commit);

    /**
     * Requires that no row of a stream is visible behind a commit, and that the stream was not given up: a later checkpoint has committed
     * rows then, and they would be written again. A stream that the warehouse no longer has passes.
     *
     * @throws LostCommitException if there is one
     * @throws WarehouseException if the warehouse does not answer; it may be tried again
     */
    void requireNothingBehind(LaneCommit end);

    @Override
    void close();
}
