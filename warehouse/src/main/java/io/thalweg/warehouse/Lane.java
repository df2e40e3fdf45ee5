package io.thalweg.warehouse;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A stream of rows into a table. It sends again what was lost on the way, until the rows are durable.
 *
 * <p><b>Threads.</b> One appends and cuts; answers arrive on others.
 */
public interface Lane extends AutoCloseable {
    /**
     * Sends the rows {@code [from, to)}; does not wait.
     *
     * @return the rows that the warehouse refuses, once all others are durable; or, exceptionally, a {@link WarehouseException}, after
     *     which the lane cannot be used any more
     */
    CompletableFuture<List<Refused>> append(EncodedRows rows, int from, int to);

    /** What makes the rows visible that were appended since the last cut; nothing may be on its way. Empty if there is nothing. */
    Optional<LaneCommit> cut();

    @Override
    void close();

    /**
     * A row that is not in the table.
     *
     * @param row its number in the rows that were appended
     * @param tooLarge whether it exceeds what the warehouse takes
     * @param why in the words of the warehouse
     */
    record Refused(int row, boolean tooLarge, String why) {}
}
