package io.thalweg.google.pubsub;

import io.thalweg.google.GoogleAccess;
import io.thalweg.google.pubsub.PubSubAddress.Limits;
import io.thalweg.warehouse.PullAddress;
import io.thalweg.warehouse.PullStreamContract;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The same contract with Google's emulator, if one runs: {@code PUBSUB_EMULATOR_HOST=localhost:8085}. */
@EnabledIfEnvironmentVariable(named = "PUBSUB_EMULATOR_HOST", matches = ".+")
class PubSubEmulatorTest extends PullStreamContract {
    /** The shortest lease that the service accepts. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final GoogleAccess access = new GoogleAccess(null, System.getenv("PUBSUB_EMULATOR_HOST"), true);
    private String topic;
    private String subscription;

    @BeforeEach
    void create() {
        String id = "t" + UUID.randomUUID();
        topic = "projects/my-project/topics/" + id;
        subscription = "projects/my-project/subscriptions/" + id;
        try (PubSubAdmin admin = PubSubAdmin.connect(access)) {
            var unusedTopic = admin.createTopic(topic);
            var unusedSubscription = admin.createSubscription(subscription, topic);
        }
    }

    @Override
    protected PullAddress address() {
        return new PubSubAddress(subscription, access, new Limits(250_000, 256 << 20, LEASE));
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    @Override
    protected void publish(List<byte[]> messages) {
        try (PubSubTopic to = PubSubTopic.open(topic, access)) {
            messages.forEach(to::publish);
        }
    }
}
