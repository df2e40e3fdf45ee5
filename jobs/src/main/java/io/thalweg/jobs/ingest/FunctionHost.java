package io.thalweg.jobs.ingest;

/** What runs a function of the user: a task, or a preview. */
interface FunctionHost {
    /** Names the job in this process, whose subtasks share classes. */
    String job();

    /** Whether the host is being cancelled, which interrupts its thread. */
    boolean isCancelled();

    /** Fails because a call has not returned in time, and interrupts it. Called by another thread, while the call goes on. */
    void late(HungFunctionException call);

    /** Takes note that the call has not returned when it was interrupted either. Called by another thread. */
    void stuck(HungFunctionException call);

    /** A host that runs in the current thread: a call that is interrupted is a failure of its message. */
    static FunctionHost here(String job) {
        Thread caller = Thread.currentThread();
        return new FunctionHost() {
            @Override
            public String job() {
                return job;
            }

            @Override
            public boolean isCancelled() {
                return false;
            }

            @Override
            public void late(HungFunctionException call) {
                caller.interrupt();
            }

            @Override
            public void stuck(HungFunctionException call) {
                // The user sees that nothing happens.
            }
        };
    }
}
