package io.thalweg.jobs.function;

/** The host of a user function: a task or a preview. */
public interface FunctionHost {
    /** The id of the job in this process; its subtasks share classes. */
    String job();

    /** Whether the host is being cancelled, which interrupts its thread. */
    boolean isCancelled();

    /** Fails because a call has exceeded its timeout, and interrupts the call. Called by another thread while the call runs. */
    void late(HungFunctionException call);

    /** Handles a call that did not return after the interrupt either. Called by another thread. */
    void stuck(HungFunctionException call);

    /** Returns a host for the current thread, in which an interrupted call is a failure of its message. */
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
                // The user sees that the preview hangs.
            }
        };
    }
}
