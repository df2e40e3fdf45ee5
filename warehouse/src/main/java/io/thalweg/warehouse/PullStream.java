package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/**
 * A stream of messages that the service delivers until they are acknowledged.
 *
 * <p><b>Leases.</b> A delivered message is leased: the stream keeps the lease until the message is acknowledged or the stream is closed, so
 * that the service does not deliver it a second time. If the process ends without closing the stream, the service delivers the message
 * again once the lease has run out. It may deliver any message more than once.
 *
 * <p><b>Bounds.</b> Messages and bytes that are not acknowledged are bounded. At the bound nothing more arrives.
 *
 * <p><b>Failures.</b> A connection that breaks is opened again.
 *
 * <p><b>Threads.</b> One polls, acknowledges and closes; any may ask for the state.
 */
public interface PullStream extends AutoCloseable {
    /**
     * Returns the next messages; null if none are at hand. Does not wait.
     *
     * @throws WarehouseException if the service refuses, or has not answered for so long that the stream has given up
     */
    @Nullable
    PulledMessages poll();

    /** Acknowledges messages. Does not wait: the request is repeated until the service has answered, also while the stream closes. */
    void acknowledge(PulledMessages.Receipt receipt);

    /** The state at the moment. */
    State state();

    /**
     * Waits for the answers to acknowledgements, for some seconds at most, and releases the leases of all other messages, so that they are
     * delivered again at once.
     */
    @Override
    void close();

    /**
     * What is under way.
     *
     * @param messages delivered and not acknowledged
     * @param bytes of these
     * @param retries connections that were opened again and requests that were repeated
     * @param quietNanos for how long the service has been connected and has delivered nothing although it may; 0 while it is not
     *     connected, while messages wait to be polled, and while the bounds may be why nothing arrives
     */
    record State(long messages, long bytes, long retries, long quietNanos) {}
}
