package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import java.io.Closeable;

/**
 * What becomes of messages: for each {@link #begin}, the calls of a reader, then {@link #end}, or {@link #rollback} if it is bad.
 *
 * <p><b>Threads.</b> One.
 */
interface MessageRows extends Closeable {
    /**
     * Starts a message.
     *
     * @param records of which record {@code i} holds the message, at {@code index}
     * @return takes its fields
     */
    RecordWriter begin(RawRecords records, int i, long index);

    /**
     * Ends a message; returns how many rows it has become.
     *
     * @throws BadRecordException if the function rejects it or fails, or the table cannot hold a row; it leaves no trace then
     */
    int end();

    /** Removes what the message has written. */
    void rollback();

    @Override
    void close();
}
