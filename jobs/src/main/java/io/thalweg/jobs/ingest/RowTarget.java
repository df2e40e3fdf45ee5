package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;

/**
 * Collects the rows of messages in the form that a sink takes.
 *
 * <p><b>Use.</b> For each message {@link #beginMessage}; for each of its rows {@link #beginRow}, the calls of a reader, then {@link #end}.
 * {@link #rollback} removes the message that was begun last, all its rows.
 *
 * <p><b>Threads.</b> One.
 *
 * @param <B> a batch of rows
 */
interface RowTarget<B> {
    /**
     * Starts a message.
     *
     * @param records of which record {@code i} holds the message, at {@code index}
     */
    void beginMessage(RawRecords records, int i, long index);

    /** Starts a row; returns what takes its fields. */
    RecordWriter beginRow();

    /**
     * Ends a row.
     *
     * @throws BadRecordException if the table cannot hold it; {@link #rollback} follows
     */
    void end();

    void rollback();

    /** Rows collected. */
    int rows();

    /** Hands out the rows collected, and starts with none. */
    B take();
}
