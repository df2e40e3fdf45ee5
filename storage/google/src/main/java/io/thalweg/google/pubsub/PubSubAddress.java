package io.thalweg.google.pubsub;

import io.thalweg.google.GoogleAccess;
import io.thalweg.warehouse.PullAddress;
import io.thalweg.warehouse.PullStream;
import java.time.Duration;

/**
 * The address of a Pub/Sub subscription.
 *
 * @param subscription {@code projects/P/subscriptions/S}
 * @param access how the service is reached
 * @param limits of each stream
 */
public record PubSubAddress(String subscription, GoogleAccess access, Limits limits) implements PullAddress {
    private static final long serialVersionUID = 1L;

    /**
     * Limits of a stream.
     *
     * @param messages that may be unacknowledged; each takes some 300 bytes of memory
     * @param bytes of unacknowledged messages
     * @param lease how long the service waits before it redelivers a message; whole seconds, of which the service
     *   accepts 10 to 600. The stream extends it three times as often
     */
    public record Limits(long messages, long bytes, Duration lease) implements java.io.Serializable {
        private static final long serialVersionUID = 1L;

        /** A stream receives 100 MB in ten seconds at the service's highest rate (10 MB/s). */
        public static final Limits STANDARD = new Limits(250_000, 256L << 20, Duration.ofSeconds(30));

        public Limits {
            if (messages < 1 || bytes < 1 || lease.toSeconds() < 1) {
                throw new IllegalArgumentException(
                        "messages and bytes must be at least 1 and lease at least 1 s, was %d, %d and %s"
                                .formatted(messages, bytes, lease));
            }
        }
    }

    @Override
    public String name() {
        return subscription;
    }

    @Override
    public PullStream open(Runnable arrived) {
        return SubscriptionStream.open(this, arrived);
    }
}
