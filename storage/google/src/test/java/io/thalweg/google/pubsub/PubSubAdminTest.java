package io.thalweg.google.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.devkit.google.PubSubFake;
import io.thalweg.google.GoogleAccess;
import io.thalweg.google.pubsub.PubSubAdmin.Found;
import io.thalweg.warehouse.WarehouseException;
import org.junit.jupiter.api.Test;

class PubSubAdminTest {
    private static final String TOPIC = "projects/my-project/topics/rides";
    private static final String SUBSCRIPTION = "projects/my-project/subscriptions/rides-lake";

    @Test
    void create_twice_makesEachOnce() throws Exception {
        try (PubSubFake service = PubSubFake.start();
                PubSubAdmin admin = PubSubAdmin.connect(GoogleAccess.of(null, service.endpoint()))) {
            assertThat(admin.find(SUBSCRIPTION)).isEmpty();
            assertThat(admin.createTopic(TOPIC)).isTrue();
            assertThat(admin.createTopic(TOPIC)).isFalse();
            assertThat(admin.createSubscription(SUBSCRIPTION, TOPIC)).isTrue();
            assertThat(admin.createSubscription(SUBSCRIPTION, TOPIC)).isFalse();
            assertThat(admin.find(SUBSCRIPTION)).contains(new Found(TOPIC, true, 0));
            assertThat(service.requested(SUBSCRIPTION).getAckDeadlineSeconds()).isEqualTo(60);
            assertThat(service.requested(SUBSCRIPTION).hasExpirationPolicy())
                    .as("without a time to live in it, it never expires")
                    .isTrue();
            assertThat(service.requested(SUBSCRIPTION).getExpirationPolicy().hasTtl())
                    .isFalse();
        }
    }

    @Test
    void createSubscription_ofAnotherTopic_isRefused() throws Exception {
        try (PubSubFake service = PubSubFake.start();
                PubSubAdmin admin = PubSubAdmin.connect(GoogleAccess.of(null, service.endpoint()))) {
            service.create(TOPIC, SUBSCRIPTION);
            String other = "projects/my-project/topics/orders";
            assertThat(admin.createTopic(other)).isTrue();

            assertThatThrownBy(() -> admin.createSubscription(SUBSCRIPTION, other))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("belongs to topic " + TOPIC + ", not to " + other);
        }
    }

    @Test
    void createSubscription_withoutItsTopic_fails() throws Exception {
        try (PubSubFake service = PubSubFake.start();
                PubSubAdmin admin = PubSubAdmin.connect(GoogleAccess.of(null, service.endpoint()))) {
            assertThatThrownBy(() -> admin.createSubscription(SUBSCRIPTION, TOPIC))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("cannot be created: NOT_FOUND");
        }
    }
}
