package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.RecordWriter;

/**
 * Collects the rows of messages in the form that a sink takes.
 *
 * <p><b>Use.</b> For each message {@link #begin}, the calls of a reader, then {@link #end} or, if the message is bad, {@link #rollback},
 * which leaves no trace of it.
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
     * @return takes its fields
     */
    RecordWriter begin(RawRecords records, int i, long index);

    void end();

    void rollback();

    /** Rows collected. */
    int rows();

    /** Hands out the rows collected, and starts with none. */
    B take();
}
