package io.thalweg.jobs.letters;

import java.io.Serializable;

/** Where dead letters go: a value that travels with the job and is opened where its tasks run. */
public interface DeadLetters extends Serializable {
    /** Begins, for a subtask of the job. */
    Writer open(int subtask);

    /**
     * Takes letters.
     *
     * <p><b>Threads.</b> Safe.
     */
    interface Writer extends AutoCloseable {
        /** Takes a letter on its way. */
        void write(byte[] letter);

        /** Returns when all letters taken before are durable. */
        void flush();

        @Override
        void close();
    }
}
