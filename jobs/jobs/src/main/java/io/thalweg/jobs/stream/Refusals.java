package io.thalweg.jobs.stream;

import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.RowStream.Refused;
import java.io.Serializable;

/** Handles rows that a warehouse refuses. It is serialized with the job and opened by its tasks. */
public interface Refusals extends Serializable {
    /** Opens a writer for a subtask of the job. */
    Writer open(int subtask);

    /**
     * Writes refused rows.
     *
     * <p><b>Threads.</b> One.
     */
    interface Writer extends AutoCloseable {
        /** Writes a refused row. */
        void refused(EncodedRows rows, Refused why);

        /** Waits until all rows written before are durable. */
        void flush();

        @Override
        void close();
    }
}
