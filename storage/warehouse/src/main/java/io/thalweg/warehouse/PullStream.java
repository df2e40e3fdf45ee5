package io.thalweg.warehouse;

import org.jspecify.annotations.Nullable;

/**
 * A stream of messages that the service delivers until they are acknowledged.
 *
 * <p><b>Leases.</b> A delivered message is leased. The stream extends the lease until the message is acknowledged or the stream is
 * closed, so that the service does not redeliver it. If the process ends without closing the stream, the service redelivers the
 * message once the lease expires. It may deliver any message more than once.
 *
 * <p><b>Bounds.</b> The number and bytes of unacknowledged messages are bounded. At the bound no more messages arrive.
 *
 * <p><b>Failures.</b> A broken connection is reopened.
 *
 * <p><b>Threads.</b> One thread polls, acknowledges and closes; any thread may read the state.
 */
public interface PullStream extends AutoCloseable {
    /**
     * Returns the next messages, or null if none are available. Does not block.
     *
     * @throws WarehouseException if the service refuses, or has not responded for so long that the stream has given up
     */
    @Nullable
    PulledMessages poll();

    /** Acknowledges messages. Does not block: the request is retried until the service responds, also while the stream closes. */
    void acknowledge(PulledMessages.Receipt receipt);

    /** The current state. */
    State state();

    /**
     * Waits, for a few seconds at most, for the responses to acknowledgements, and releases the leases of all other messages, so
     * that they are redelivered at once.
     */
    @Override
    void close();

    /**
     * The state of a stream.
     *
     * @param messages the number of delivered messages that are not acknowledged
     * @param bytes the bytes of these messages
     * @param retries the number of reopened connections and retried requests
     * @param quietNanos how long the service has been connected without delivering anything although it may; 0 while it is not
     *     connected, while messages wait to be polled, and while the bounds may be the reason that nothing arrives
     */
    record State(long messages, long bytes, long retries, long quietNanos) {}
}
