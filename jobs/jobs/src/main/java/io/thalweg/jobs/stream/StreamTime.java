package io.thalweg.jobs.stream;

/** The clock of a writer and the way it waits for answers; a simulation provides its own. */
interface StreamTime {
    /** The time of this machine. */
    StreamTime SYSTEM = new StreamTime() {
        private static final long LONGEST_MS = 1_000;

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // the caller loops
        public void await(Object monitor) throws InterruptedException {
            monitor.wait(LONGEST_MS);
        }
    };

    /** As {@link System#nanoTime}. */
    long nanos();

    /** Returns when the monitor, which the caller holds, is notified, or after a second. */
    void await(Object monitor) throws InterruptedException;
}
