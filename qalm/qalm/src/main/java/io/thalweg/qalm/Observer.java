package io.thalweg.qalm;

/**
 * Receives the events of all lanes, for logs and histograms; {@link Qalm#snapshot} provides counts. Methods run on the threads of
 * the calls, outside of all locks: they must be fast and must not throw.
 */
public interface Observer {
    /** Ignores all events. */
    Observer NONE = new Observer() {};

    /** Called when an admitted call has ended. {@code queueNanos} is the time from its arrival to its admission. */
    default void released(String endpoint, Call call, Outcome outcome, long queueNanos, long serviceNanos) {}

    /** Called when a call is refused. */
    default void refused(String endpoint, Call call, Refusal reason) {}

    /** Called when load management itself fails. The call concerned, if any, is admitted. */
    default void failed(String endpoint, RuntimeException failure) {}
}
