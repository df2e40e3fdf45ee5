package io.thalweg.google.pubsub;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.pubsub.v1.stub.PublisherStub;
import com.google.cloud.pubsub.v1.stub.SubscriberStub;
import com.google.pubsub.v1.ExpirationPolicy;
import com.google.pubsub.v1.GetSubscriptionRequest;
import com.google.pubsub.v1.Subscription;
import com.google.pubsub.v1.Topic;
import io.thalweg.google.GoogleAccess;
import io.thalweg.warehouse.WarehouseException;
import java.util.Optional;

/**
 * Creates and finds topics and subscriptions.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class PubSubAdmin implements AutoCloseable {
    /** For clients that do not specify a deadline; streams do. */
    public static final int ACK_DEADLINE_SECONDS = 60;

    private final PublisherStub topics;
    private final SubscriberStub subscriptions;

    private PubSubAdmin(PublisherStub topics, SubscriberStub subscriptions) {
        this.topics = topics;
        this.subscriptions = subscriptions;
    }

    /**
     * Creates the clients.
     *
     * @throws WarehouseException if there are no credentials
     */
    public static PubSubAdmin connect(GoogleAccess access) {
        return new PubSubAdmin(PubSubClients.topics(access), PubSubClients.subscriber(access));
    }

    /**
     * A subscription as the service describes it.
     *
     * @param topic {@code projects/P/topics/T}
     * @param isPulled whether clients pull its messages; otherwise the service pushes them
     * @param deliveryAttempts after this many deliveries without an acknowledgement, a message leaves the subscription; 0 =
     *   never
     */
    public record Found(String topic, boolean isPulled, int deliveryAttempts) {}

    /**
     * Creates a topic if it is missing.
     *
     * @param topic {@code projects/P/topics/T}
     * @return whether it was missing
     * @throws WarehouseException if the service refuses or does not answer
     */
    public boolean createTopic(String topic) {
        try {
            var unused = topics.createTopicCallable()
                    .call(Topic.newBuilder().setName(topic).build());
            return true;
        } catch (ApiException e) {
            if (isCode(e, StatusCode.Code.ALREADY_EXISTS)) {
                return false;
            }
            throw failed("topic " + topic + " cannot be created", e);
        }
    }

    /**
     * Creates a subscription that clients pull from if it is missing. It never expires, even if no client pulls from it.
     *
     * @param subscription {@code projects/P/subscriptions/S}
     * @param topic {@code projects/P/topics/T}, which exists
     * @return whether it was missing
     * @throws WarehouseException if it exists and belongs to another topic, or the service refuses or does not answer
     */
    public boolean createSubscription(String subscription, String topic) {
        try {
            var unused = subscriptions
                    .createSubscriptionCallable()
                    .call(Subscription.newBuilder()
                            .setName(subscription)
                            .setTopic(topic)
                            .setAckDeadlineSeconds(ACK_DEADLINE_SECONDS)
                            .setExpirationPolicy(ExpirationPolicy.getDefaultInstance())
                            .build());
            return true;
        } catch (ApiException e) {
            if (!isCode(e, StatusCode.Code.ALREADY_EXISTS)) {
                throw failed("subscription " + subscription + " cannot be created", e);
            }
        }
        Optional<Found> found = find(subscription);
        if (found.isPresent() && !found.get().topic().equals(topic)) {
            throw new WarehouseException(
                    "subscription %s exists and belongs to topic %s, not to %s"
                            .formatted(subscription, found.get().topic(), topic),
                    null);
        }
        return false;
    }

    /**
     * Looks up a subscription.
     *
     * @return empty if it does not exist
     * @throws LookupDeniedException if the credentials permit pulling but not looking up
     * @throws WarehouseException if the service refuses or does not answer
     */
    public Optional<Found> find(String subscription) {
        try {
            Subscription found = subscriptions
                    .getSubscriptionCallable()
                    .call(GetSubscriptionRequest.newBuilder()
                            .setSubscription(subscription)
                            .build());
            boolean isPulled = found.getPushConfig().getPushEndpoint().isEmpty()
                    && !found.hasBigqueryConfig()
                    && !found.hasCloudStorageConfig();
            return Optional.of(new Found(
                    found.getTopic(), isPulled, found.getDeadLetterPolicy().getMaxDeliveryAttempts()));
        } catch (ApiException e) {
            if (isCode(e, StatusCode.Code.NOT_FOUND)) {
                return Optional.empty();
            }
            if (isCode(e, StatusCode.Code.PERMISSION_DENIED)) {
                throw new LookupDeniedException("subscription " + subscription + " cannot be looked up", e);
            }
            throw failed("subscription " + subscription + " cannot be looked up", e);
        }
    }

    private static boolean isCode(ApiException e, StatusCode.Code code) {
        return e.getStatusCode().getCode() == code;
    }

    private static WarehouseException failed(String what, ApiException e) {
        return new WarehouseException(what + ": " + PubSubFailures.text(e), e);
    }

    @Override
    public void close() {
        topics.close();
        subscriptions.close();
    }

    /** Thrown when the credentials do not permit looking up a subscription, a permission that a subscriber does not need. */
    public static final class LookupDeniedException extends WarehouseException {
        private static final long serialVersionUID = 1L;

        LookupDeniedException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
