package io.thalweg.warehouse;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A stream of rows into a table. It resends rows that were lost in transit until they are durable.
 *
 * <p><b>Threads.</b> One thread appends and cuts; futures complete on other threads.
 */
public interface RowStream extends AutoCloseable {
    /**
     * Sends the rows {@code [from, to)}; does not wait.
     *
     * @return the rows that the warehouse refused, once all others are durable. It fails with a {@link WarehouseException}, after
     *     which the stream can no longer be used
     */
    CompletableFuture<List<Refused>> append(EncodedRows rows, int from, int to);

    /** Returns the commit that makes the rows appended since the last cut visible, or empty if there are none. No append may be pending. */
    Optional<StreamCommit> cut();

    @Override
    void close();

    /**
     * A row that the warehouse refused.
     *
     * @param row its index in the rows that were appended
     * @param tooLarge whether it exceeds the size limit of the warehouse
     * @param why the reason, in the words of the warehouse
     */
    record Refused(int row, boolean tooLarge, String why) {}
}
