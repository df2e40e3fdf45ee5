package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import java.io.Closeable;

/**
 * Turns messages into rows. For each message: {@link #begin}, the calls of a reader, then {@link #end}, or {@link #rollback} if it is bad.
 *
 * <p><b>Threads.</b> One.
 */
interface MessageRows extends Closeable {
    /**
     * Starts a message.
     *
     * @param records its record {@code i} contains the message, at {@code index}
     * @return the writer of its fields
     */
    RecordWriter begin(RawRecords records, int i, long index);

    /**
     * Ends a message and returns its number of rows.
     *
     * @throws BadRecordException if the function rejects it or fails, or the table cannot hold a row; its rows are then removed
     */
    int end();

    /** Removes the rows of the message. */
    void rollback();

    @Override
    void close();
}
