package io.thalweg.jobs.lane;

import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.Lane.Refused;
import java.io.Serializable;

/** What becomes of rows that a warehouse refuses: a value that travels with the job and is opened where its tasks run. */
public interface Refusals extends Serializable {
    /** Begins, for a subtask of the job. */
    Writer open(int subtask);

    /**
     * Takes refused rows.
     *
     * <p><b>Threads.</b> One.
     */
    interface Writer extends AutoCloseable {
        /** Takes a row. */
        void refused(EncodedRows rows, Refused why);

        /** Returns when all rows taken before are durable. */
        void flush();

        @Override
        void close();
    }
}
