package io.thalweg.devkit.google;

import com.google.protobuf.Empty;
import com.google.protobuf.Timestamp;
import com.google.pubsub.v1.AcknowledgeRequest;
import com.google.pubsub.v1.GetSubscriptionRequest;
import com.google.pubsub.v1.GetTopicRequest;
import com.google.pubsub.v1.ModifyAckDeadlineRequest;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PublishResponse;
import com.google.pubsub.v1.PublisherGrpc.PublisherImplBase;
import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.StreamingPullRequest;
import com.google.pubsub.v1.StreamingPullResponse;
import com.google.pubsub.v1.SubscriberGrpc.SubscriberImplBase;
import com.google.pubsub.v1.Subscription;
import com.google.pubsub.v1.Topic;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stand-in for Pub/Sub, on a free port of this machine, behind Google's own gRPC interface: topics, subscriptions and streaming pull
 * with leases, redelivery and flow control. It fails on demand.
 *
 * <p><b>What it is not.</b> It follows the documentation of the service and has not been compared with the service itself. It has no
 * ordering keys, filters, push, dead-letter policies or exactly-once delivery.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class PubSubFake implements AutoCloseable {
    private static final int LARGEST_REQUEST = 10 * 1000 * 1000;
    private static final int MOST_IN_REQUEST = 1_000;
    private static final int LARGEST_ACKNOWLEDGEMENT = 512 << 10;
    private static final long TICK_MS = 20;
    private static final long FIRST_ID = 17_000_000_000_000_000L;

    private final PubSubFaults faults = new PubSubFaults();
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Map<String, FakeSubscription> subscriptions = new ConcurrentHashMap<>();
    /** The requests that created subscriptions; those of {@link #create} are not included. */
    private final Map<String, Subscription> requested = new ConcurrentHashMap<>();

    private final AtomicLong nextId = new AtomicLong(FIRST_ID);
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "pubsub-fake");
        thread.setDaemon(true);
        return thread;
    });
    private final Server server;

    private PubSubFake() throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .maxInboundMessageSize(2 * LARGEST_REQUEST)
                .addService(new Topics())
                .addService(new Subscriptions())
                .build()
                .start();
        var unused = clock.scheduleWithFixedDelay(this::deliver, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    }

    /** Starts a service without topics. */
    public static PubSubFake start() throws IOException {
        return new PubSubFake();
    }

    /** {@code host:port}. */
    public String endpoint() {
        return "localhost:" + server.getPort();
    }

    /** The faults that can be injected. */
    public PubSubFaults faults() {
        return faults;
    }

    /**
     * Creates a topic and a subscription to it.
     *
     * @param topic {@code projects/P/topics/T}
     * @param subscription {@code projects/P/subscriptions/S}
     */
    public void create(String topic, String subscription) {
        topics.add(topic);
        subscriptions.put(subscription, new FakeSubscription(topic, faults));
    }

    /** Returns the request with which a client created a subscription. */
    public Subscription requested(String subscription) {
        return requested.getOrDefault(subscription, Subscription.getDefaultInstance());
    }

    /** Whether a topic exists. */
    public boolean hasTopic(String topic) {
        return topics.contains(topic);
    }

    /**
     * Publishes a message to a topic.
     *
     * @return its id
     */
    public String publish(String topic, PubsubMessage message) {
        if (message.getData().isEmpty() && message.getAttributesCount() == 0) {
            throw failure(Status.INVALID_ARGUMENT, "A message must have data or attributes");
        }
        String id = String.valueOf(nextId.getAndIncrement());
        Instant now = Instant.now();
        PubsubMessage published = message.toBuilder()
                .setMessageId(id)
                .setPublishTime(
                        Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()))
                .build();
        subscriptions.values().stream()
                .filter(subscription -> subscription.topic().equals(topic))
                .forEach(subscription -> subscription.add(published));
        return id;
    }

    /** Returns how many messages of a subscription are neither acknowledged nor delivered. */
    public int waiting(String subscription) {
        return subscription(subscription).waiting();
    }

    /** Returns how many messages of a subscription are delivered and not acknowledged. */
    public int leased(String subscription) {
        return subscription(subscription).leased();
    }

    /** Returns how many messages of a subscription have been acknowledged, each counted once. */
    public int acknowledged(String subscription) {
        return subscription(subscription).acknowledged();
    }

    /** Returns the deliveries so far, including redeliveries. */
    public long deliveries(String subscription) {
        return subscription(subscription).deliveries();
    }

    /** Returns the requests to extend leases so far. */
    public long extensions(String subscription) {
        return subscription(subscription).extensions();
    }

    /** Returns the number of open streams of a subscription. */
    public int streams(String subscription) {
        return subscription(subscription).pulls().size();
    }

    /** Ends all leases of a subscription, as if they had expired. */
    public void endLeases(String subscription) {
        subscription(subscription).endLeases();
    }

    /** Ends all streams of a subscription with a status. */
    public void breakStreams(String subscription, Status status) {
        FakeSubscription of = subscription(subscription);
        for (FakePull pull : of.pulls()) {
            of.close(pull);
            pull.fail(status);
        }
    }

    private void deliver() {
        subscriptions.values().forEach(FakeSubscription::deliver);
    }

    private FakeSubscription subscription(String name) {
        FakeSubscription found = subscriptions.get(name);
        if (found == null) {
            throw failure(Status.NOT_FOUND, "Subscription does not exist: " + name);
        }
        return found;
    }

    private static StatusRuntimeException failure(Status status, String why) {
        return status.withDescription(why).asRuntimeException();
    }

    private void requireTopic(String topic) {
        if (!topics.contains(topic)) {
            throw failure(Status.NOT_FOUND, "Topic not found: " + topic);
        }
    }

    private <T> void answer(StreamObserver<T> to, Supplier<T> what) {
        try {
            if (faults.isAway()) {
                throw failure(Status.UNAVAILABLE, "the service is away");
            }
            T answer = what.get();
            to.onNext(answer);
            to.onCompleted();
        } catch (StatusRuntimeException e) {
            to.onError(e);
        }
    }

    private final class Topics extends PublisherImplBase {
        @Override
        public void createTopic(Topic request, StreamObserver<Topic> answer) {
            answer(answer, () -> {
                if (!topics.add(request.getName())) {
                    throw failure(Status.ALREADY_EXISTS, "Topic already exists: " + request.getName());
                }
                return request;
            });
        }

        @Override
        public void getTopic(GetTopicRequest request, StreamObserver<Topic> answer) {
            answer(answer, () -> {
                requireTopic(request.getTopic());
                return Topic.newBuilder().setName(request.getTopic()).build();
            });
        }

        @Override
        public void publish(PublishRequest request, StreamObserver<PublishResponse> answer) {
            answer(answer, () -> {
                requireTopic(request.getTopic());
                if (request.getSerializedSize() > LARGEST_REQUEST || request.getMessagesCount() > MOST_IN_REQUEST) {
                    throw failure(
                            Status.INVALID_ARGUMENT,
                            "The request has %d messages of %d bytes, at most %d of %d are allowed"
                                    .formatted(
                                            request.getMessagesCount(),
                                            request.getSerializedSize(),
                                            MOST_IN_REQUEST,
                                            LARGEST_REQUEST));
                }
                PublishResponse.Builder ids = PublishResponse.newBuilder();
                request.getMessagesList()
                        .forEach(message -> ids.addMessageIds(PubSubFake.this.publish(request.getTopic(), message)));
                deliver();
                return ids.build();
            });
        }
    }

    private final class Subscriptions extends SubscriberImplBase {
        @Override
        public void createSubscription(Subscription request, StreamObserver<Subscription> answer) {
            answer(answer, () -> {
                requireTopic(request.getTopic());
                FakeSubscription made = new FakeSubscription(request.getTopic(), faults);
                if (subscriptions.putIfAbsent(request.getName(), made) != null) {
                    throw failure(Status.ALREADY_EXISTS, "Subscription already exists: " + request.getName());
                }
                requested.put(request.getName(), request);
                return request;
            });
        }

        @Override
        public void getSubscription(GetSubscriptionRequest request, StreamObserver<Subscription> answer) {
            answer(
                    answer,
                    () -> Subscription.newBuilder()
                            .setName(request.getSubscription())
                            .setTopic(subscription(request.getSubscription()).topic())
                            .build());
        }

        @Override
        public void acknowledge(AcknowledgeRequest request, StreamObserver<Empty> answer) {
            answer(answer, () -> {
                if (request.getSerializedSize() > LARGEST_ACKNOWLEDGEMENT) {
                    throw failure(
                            Status.INVALID_ARGUMENT,
                            "The request has %d bytes, at most %d are allowed"
                                    .formatted(request.getSerializedSize(), LARGEST_ACKNOWLEDGEMENT));
                }
                failWith(faults.nextBeforeAcknowledge());
                subscription(request.getSubscription()).acknowledge(request.getAckIdsList());
                failWith(faults.nextAfterAcknowledge());
                return Empty.getDefaultInstance();
            });
        }

        private void failWith(@Nullable Status status) {
            if (status != null) {
                throw status.asRuntimeException();
            }
        }

        @Override
        public void modifyAckDeadline(ModifyAckDeadlineRequest request, StreamObserver<Empty> answer) {
            answer(answer, () -> {
                subscription(request.getSubscription())
                        .modify(request.getAckIdsList(), request.getAckDeadlineSeconds());
                return Empty.getDefaultInstance();
            });
        }

        @Override
        public StreamObserver<StreamingPullRequest> streamingPull(StreamObserver<StreamingPullResponse> responses) {
            return new Call((ServerCallStreamObserver<StreamingPullResponse>) responses);
        }
    }

    /** A stream from its client's view: the first request opens it. */
    private final class Call implements StreamObserver<StreamingPullRequest> {
        private final ServerCallStreamObserver<StreamingPullResponse> responses;
        private @Nullable FakeSubscription subscription;
        private @Nullable FakePull pull;

        Call(ServerCallStreamObserver<StreamingPullResponse> responses) {
            this.responses = responses;
            responses.setOnCancelHandler(this::end);
            responses.setOnReadyHandler(() -> {
                if (subscription != null) {
                    subscription.deliver();
                }
            });
        }

        @Override
        public void onNext(StreamingPullRequest request) {
            if (subscription != null) {
                return;
            }
            try {
                if (faults.isAway()) {
                    throw failure(Status.UNAVAILABLE, "the service is away");
                }
                subscription = subscription(request.getSubscription());
                pull = new FakePull(request, responses);
                subscription.open(pull);
            } catch (StatusRuntimeException e) {
                responses.onError(e);
            }
        }

        private void end() {
            if (subscription != null && pull != null) {
                subscription.close(pull);
            }
        }

        @Override
        public void onError(Throwable failure) {
            end();
        }

        @Override
        public void onCompleted() {
            end();
            responses.onCompleted();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        server.shutdownNow();
        try {
            var unused = server.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
