package io.thalweg.jobs.ingest.target;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;

/**
 * Collects the rows of messages in the form that a sink accepts.
 *
 * <p><b>Use.</b> For each message {@link #beginMessage}; for each of its rows {@link #beginRow}, the calls of a reader, then {@link #end}.
 * {@link #rollback} removes all rows of the message that was begun last.
 *
 * <p><b>Threads.</b> One.
 *
 * @param <B> a batch of rows
 */
public interface RowTarget<B> {
    /**
     * Starts a message.
     *
     * @param records its record {@code i} contains the message, at {@code index}
     */
    void beginMessage(RawRecords records, int i, long index);

    /** Starts a row and returns the writer of its fields. */
    RecordWriter beginRow();

    /**
     * Ends a row.
     *
     * @throws BadRecordException if the table cannot hold it; {@link #rollback} follows
     */
    void end();

    void rollback();

    /** The number of rows collected. */
    int rows();

    /** Returns the rows collected and clears them. */
    B take();
}
