package io.thalweg.google.pubsub;

import com.google.api.gax.rpc.ResponseObserver;
import com.google.api.gax.rpc.StreamController;
import com.google.cloud.pubsub.v1.stub.SubscriberStub;
import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.ReceivedMessage;
import com.google.pubsub.v1.StreamingPullRequest;
import com.google.pubsub.v1.StreamingPullResponse;
import io.thalweg.warehouse.PullStream;
import io.thalweg.warehouse.PulledMessages;
import io.thalweg.warehouse.PulledMessages.Message;
import io.thalweg.warehouse.PulledMessages.Receipt;
import io.thalweg.warehouse.WarehouseException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives messages through StreamingPull.
 *
 * <p><b>Flow.</b> One response is requested at a time, and only while the queued and the unacknowledged messages leave room. The service
 * has the same limits, so that it does not send messages that are not requested: leases of messages still in transit cannot be extended.
 *
 * <p><b>Failures.</b> The service ends every connection from time to time. The stream reconnects with growing pauses and gives up after ten
 * minutes without an answer. Leases belong to the subscription and outlive the connection.
 */
final class SubscriptionStream implements PullStream {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionStream.class);

    /** Queued bytes beyond which no more messages are requested. */
    private static final long MOST_WAITING_BYTES = 16L << 20;

    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** A connection that lasts this long was sound, even if nothing was delivered. */
    private static final long SOUND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final Duration LAST_ANSWERS = Duration.ofSeconds(10);

    private final PubSubAddress address;
    private final SubscriberStub stub;
    private final Runnable arrived;
    private final Leases leases;
    private final String client = UUID.randomUUID().toString();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "pubsub-leases");
        thread.setDaemon(true);
        return thread;
    });

    /** Guarded by this, as all fields below. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private long waitingBytes;
    private @Nullable Connection connection;
    private int failures;
    private long troubleNanos;
    private long quietNanos;
    private long reconnections;
    private boolean closed;
    private @Nullable WarehouseException broken;

    private SubscriptionStream(PubSubAddress address, SubscriberStub stub, Runnable arrived) {
        this.address = address;
        this.stub = stub;
        this.arrived = arrived;
        leases =
                new Leases(address.subscription(), stub, timer, address.limits().lease(), this::freed);
    }

    static SubscriptionStream open(PubSubAddress address, Runnable arrived) {
        SubscriptionStream stream =
                new SubscriptionStream(address, PubSubClients.subscriber(address.access()), arrived);
        stream.connect();
        return stream;
    }

    /** Messages to be polled. */
    private record Waiting(PulledMessages messages, long bytes) {}

    /** One call of StreamingPull. */
    private final class Connection implements ResponseObserver<StreamingPullResponse> {
        private final long sinceNanos = System.nanoTime();
        private @Nullable StreamController controller;
        /** Whether a requested response has not arrived. */
        private boolean asked;

        private boolean answered;
        private boolean over;

        @Override
        public void onStart(StreamController call) {
            call.disableAutoInboundFlowControl();
            begun(this, call);
        }

        @Override
        public void onResponse(StreamingPullResponse response) {
            received(this, response);
        }

        @Override
        public void onError(Throwable failure) {
            ended(this, failure);
        }

        @Override
        public void onComplete() {
            ended(this, null);
        }
    }

    private void connect() {
        Connection opened = new Connection();
        try {
            stub.streamingPullCallable()
                    .splitCall(opened)
                    .send(StreamingPullRequest.newBuilder()
                            .setSubscription(address.subscription())
                            .setClientId(client)
                            .setStreamAckDeadlineSeconds(
                                    (int) address.limits().lease().toSeconds())
                            .setMaxOutstandingMessages(address.limits().messages())
                            .setMaxOutstandingBytes(address.limits().bytes())
                            .build());
        } catch (RuntimeException e) {
            ended(opened, e);
        }
    }

    private void begun(Connection begun, StreamController controller) {
        boolean late;
        synchronized (this) {
            begun.controller = controller;
            connection = begun;
            quietNanos = System.nanoTime();
            late = closed;
        }
        if (late) {
            controller.cancel();
        } else {
            askForMore();
        }
    }

    private void askForMore() {
        StreamController ask = null;
        synchronized (this) {
            if (connection != null && !connection.asked && !closed && hasRoom()) {
                connection.asked = true;
                ask = connection.controller;
            }
        }
        if (ask != null) {
            ask.request(1);
        }
    }

    private boolean hasRoom() {
        return waitingBytes < MOST_WAITING_BYTES
                && leases.messages() < address.limits().messages()
                && leases.bytes() < address.limits().bytes();
    }

    private void received(Connection from, StreamingPullResponse response) {
        List<Message> messages = new ArrayList<>(response.getReceivedMessagesCount());
        List<String> ids = new ArrayList<>(response.getReceivedMessagesCount());
        long bytes = 0;
        for (ReceivedMessage received : response.getReceivedMessagesList()) {
            int size = received.getMessage().getSerializedSize();
            leases.add(received.getAckId(), size);
            ids.add(received.getAckId());
            messages.add(message(received.getMessage()));
            bytes += size;
        }
        synchronized (this) {
            from.asked = false;
            from.answered = true;
            quietNanos = System.nanoTime();
            if (!messages.isEmpty()) {
                waiting.add(new Waiting(new PulledMessages(messages, new Receipt(ids)), bytes));
                waitingBytes += bytes;
            }
        }
        askForMore();
        arrived.run();
    }

    private static Message message(PubsubMessage message) {
        long publishedMs = message.getPublishTime().getSeconds() * 1_000
                + TimeUnit.NANOSECONDS.toMillis(message.getPublishTime().getNanos());
        return new Message(message.getMessageId(), message.getData().toByteArray(), publishedMs);
    }

    private void ended(Connection ended, @Nullable Throwable failure) {
        synchronized (this) {
            connection = null;
            if (closed || ended.over) {
                return;
            }
            ended.over = true;
            long now = System.nanoTime();
            if (failures == 0 || ended.answered || now - ended.sinceNanos > SOUND_NANOS) {
                failures = 0;
                troubleNanos = now;
            }
            if (failure != null && (!PubSubFailures.mayPass(failure) || now - troubleNanos > GIVE_UP_NANOS)) {
                broken = new WarehouseException(
                        "subscription %s cannot be read: %s"
                                .formatted(address.subscription(), PubSubFailures.text(failure)),
                        failure);
            } else {
                connectLater(failure);
            }
        }
        arrived.run();
    }

    private void connectLater(@Nullable Throwable failure) {
        long pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, failures));
        if (failures > 0) {
            LOG.warn(
                    "Subscription {} does not answer; connecting again in {} ms: {}",
                    address.subscription(),
                    pauseMs,
                    failure == null ? "it ended the stream" : PubSubFailures.text(failure));
        }
        failures++;
        reconnections++;
        try {
            var unused = timer.schedule(this::connect, pauseMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // Closed meanwhile.
        }
    }

    private void freed() {
        synchronized (this) {
            quietNanos = System.nanoTime();
        }
        askForMore();
    }

    @Override
    public @Nullable PulledMessages poll() {
        Waiting next;
        synchronized (this) {
            if (broken != null) {
                throw broken;
            }
            next = waiting.poll();
            if (next == null) {
                return null;
            }
            waitingBytes -= next.bytes();
        }
        askForMore();
        return next.messages();
    }

    @Override
    public void acknowledge(Receipt receipt) {
        leases.acknowledge(receipt.leases());
    }

    @Override
    public synchronized State state() {
        long messages = leases.messages();
        long bytes = leases.bytes();
        boolean nearBound = messages > address.limits().messages() / 2
                || bytes > address.limits().bytes() / 2;
        boolean isQuiet = connection != null && waiting.isEmpty() && !nearBound;
        return new State(
                messages, bytes, reconnections + leases.retries(), isQuiet ? System.nanoTime() - quietNanos : 0);
    }

    @Override
    public void close() {
        Connection open;
        synchronized (this) {
            closed = true;
            open = connection;
        }
        if (open != null && open.controller != null) {
            open.controller.cancel();
        }
        try {
            leases.awaitAnswers(LAST_ANSWERS);
            timer.shutdownNow();
            leases.release();
            stub.close();
            var unused = stub.awaitTermination(LAST_ANSWERS.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            timer.shutdownNow();
            stub.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
