package io.thalweg.jobs.deadletters;

import java.io.Serializable;

/** The destination of dead letters: a value that is serialised with the job and opened where its tasks run. */
public interface DeadLetters extends Serializable {
    /** Opens a writer for a subtask of the job. */
    Writer open(int subtask);

    /**
     * Writes letters.
     *
     * <p><b>Threads.</b> Thread-safe.
     */
    interface Writer extends AutoCloseable {
        /** Writes a letter, which is durable after {@link #flush}. */
        void write(byte[] letter);

        /** Returns when all letters written before are durable. */
        void flush();

        @Override
        void close();
    }
}
