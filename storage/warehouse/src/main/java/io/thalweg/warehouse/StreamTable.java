package io.thalweg.warehouse;

import java.util.function.Consumer;

/**
 * A connection to a table.
 *
 * <p><b>Threads.</b> Safe.
 */
public interface StreamTable extends AutoCloseable {
    /**
     * Opens a new stream. It sends no request to the warehouse before the first rows.
     *
     * @param retried receives the cause of each retried request; called by any thread, and must not block
     */
    RowStream stream(Consumer<RetryCause> retried);

    /**
     * Makes rows visible, or finalizes a stream; failure to finalize it is ignored. The operation is idempotent.
     *
     * @throws LostCommitException if the rows can no longer be committed
     * @throws WarehouseException if the warehouse refuses or does not respond; the commit may be retried
     */
    void commit(StreamCommit commit);

    /**
     * Requires that no row of a stream beyond a commit is visible, and that the stream is not finalized. Otherwise a later
     * checkpoint has committed rows, which would be written twice. A stream that no longer exists in the warehouse passes.
     *
     * @throws LostCommitException if a later checkpoint has committed rows
     * @throws WarehouseException if the warehouse does not respond; the check may be retried
     */
    void requireNothingBehind(StreamCommit end);

    @Override
    void close();
}
