package io.thalweg.google.pubsub;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.api.gax.batching.BatchingSettings;
import com.google.api.gax.batching.FlowControlSettings;
import com.google.api.gax.batching.FlowController.LimitExceededBehavior;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.UnsafeByteOperations;
import com.google.pubsub.v1.PubsubMessage;
import io.thalweg.google.GoogleAccess;
import io.thalweg.warehouse.WarehouseException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages to a topic, in batches. Google's client retries a request without an answer, so a message may be duplicated.
 *
 * <p><b>Threads.</b> One.
 */
public final class PubSubTopic implements AutoCloseable {
    private static final long BATCH_MESSAGES = 1_000;
    private static final long BATCH_BYTES = 1 << 20;
    private static final Duration LINGER = Duration.ofMillis(20);
    private static final long MOST_UNANSWERED = 20_000;
    private static final long MOST_UNANSWERED_BYTES = 64L << 20;
    private static final long LAST_ANSWERS_SECONDS = 120;

    private final String topic;
    private final Publisher publisher;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private PubSubTopic(String topic, Publisher publisher) {
        this.topic = topic;
        this.publisher = publisher;
    }

    /**
     * Creates the client.
     *
     * @param topic {@code projects/P/topics/T}
     * @throws WarehouseException if there are no credentials
     */
    public static PubSubTopic open(String topic, GoogleAccess access) {
        BatchingSettings batches = BatchingSettings.newBuilder()
                .setElementCountThreshold(BATCH_MESSAGES)
                .setRequestByteThreshold(BATCH_BYTES)
                .setDelayThresholdDuration(LINGER)
                .setFlowControlSettings(FlowControlSettings.newBuilder()
                        .setLimitExceededBehavior(LimitExceededBehavior.Block)
                        .setMaxOutstandingElementCount(MOST_UNANSWERED)
                        .setMaxOutstandingRequestBytes(MOST_UNANSWERED_BYTES)
                        .build())
                .build();
        return new PubSubTopic(
                topic,
                PubSubClients.publisher(access, Publisher.newBuilder(topic).setBatchingSettings(batches)));
    }

    /**
     * Publishes a message; blocks while too many are in flight.
     *
     * @param data must not be changed afterwards
     * @throws WarehouseException if an earlier message could not be published
     */
    public void publish(byte[] data) {
        requireNoFailure();
        ApiFutures.addCallback(
                publisher.publish(PubsubMessage.newBuilder()
                        .setData(UnsafeByteOperations.unsafeWrap(data))
                        .build()),
                new ApiFutureCallback<>() {
                    @Override
                    public void onSuccess(String id) {
                        // Only failures matter.
                    }

                    @Override
                    public void onFailure(Throwable failed) {
                        failure.compareAndSet(null, failed);
                    }
                },
                MoreExecutors.directExecutor());
    }

    private void requireNoFailure() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new WarehouseException(
                    "topic %s cannot be written: %s".formatted(topic, PubSubFailures.text(failed)), failed);
        }
    }

    /**
     * Waits until all messages are published.
     *
     * @throws WarehouseException if one could not be published
     */
    @Override
    public void close() {
        publisher.shutdown();
        boolean done;
        try {
            done = publisher.awaitTermination(LAST_ANSWERS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            done = false;
        }
        requireNoFailure();
        if (!done) {
            throw new WarehouseException(
                    "topic %s has not answered within %d s".formatted(topic, LAST_ANSWERS_SECONDS), null);
        }
    }
}
