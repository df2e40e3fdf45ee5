package io.thalweg.qalm;

/**
 * Hears what lanes do, for logs and histograms; counts are in {@link Qalm#snapshot} anyway. Called on the threads of the calls,
 * outside of all locks: it must be quick and must not throw.
 */
public interface Observer {
    /** Listens to nothing. */
    Observer NONE = new Observer() {};

    /** An admitted call has ended. {@code queueNanos} is the time from its arrival to its admission. */
    default void released(String endpoint, Call call, Outcome outcome, long queueNanos, long serviceNanos) {}

    /** A call was refused. */
    default void refused(String endpoint, Call call, Refusal reason) {}

    /** Load management itself failed; the call it was about went through. */
    default void failed(String endpoint, RuntimeException failure) {}
}
