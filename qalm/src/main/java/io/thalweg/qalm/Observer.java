package io.thalweg.qalm;

/**
 * Receives the events of all lanes, for logs and histograms; {@link Qalm#snapshot} has counts. Called on the threads of the calls,
 * outside of all locks: it must be fast and must not throw.
 */
public interface Observer {
    /** Ignores all events. */
    Observer NONE = new Observer() {};

    /** An admitted call has ended. {@code queueNanos} is the time from its arrival to its admission. */
    default void released(String endpoint, Call call, Outcome outcome, long queueNanos, long serviceNanos) {}

    /** A call was refused. */
    default void refused(String endpoint, Call call, Refusal reason) {}

    /** Load management itself failed; the call concerned was admitted. */
    default void failed(String endpoint, RuntimeException failure) {}
}
