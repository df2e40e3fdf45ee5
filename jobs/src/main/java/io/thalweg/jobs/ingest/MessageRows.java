package io.thalweg.jobs.ingest;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import java.io.Closeable;

/**
 * What becomes of messages: for each {@link #begin}, the calls of a reader, then {@link #end}, or {@link #rollback} if it is bad.
 *
 * <p><b>Threads.</b> One.
 */
interface MessageRows extends Closeable {
    /** Starts a message; its fields go to what is returned. */
    RecordWriter begin();

    /**
     * Ends a message; returns how many rows it has become.
     *
     * @throws BadRecordException if the function rejects it or fails; it leaves no trace then
     */
    int end();

    /** Removes what the message has written. */
    void rollback();

    @Override
    void close();
}
