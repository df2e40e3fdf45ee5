package io.thalweg.jobs.pubsub;

import io.thalweg.warehouse.PullAddress;
import io.thalweg.warehouse.PullStreamContract;
import java.time.Duration;
import java.util.List;

/** Checks that the in-memory subscription of the tests fulfils the contract of real services. */
class MemorySubscriptionTest extends PullStreamContract {
    private final MemorySubscription subscription = new MemorySubscription();

    @Override
    protected PullAddress address() {
        return subscription;
    }

    @Override
    protected Duration lease() {
        return Duration.ofMillis(1);
    }

    @Override
    protected void publish(List<byte[]> messages) {
        subscription.publish(messages);
    }
}
