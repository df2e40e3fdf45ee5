package io.thalweg.devkit.google;

import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.ReceivedMessage;
import com.google.pubsub.v1.StreamingPullResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;

/**
 * A subscription: queued messages are delivered to a stream that has room, and redelivered unless they are acknowledged before their
 * lease ends.
 *
 * <p><b>Threads.</b> Safe.
 */
final class FakeSubscription {
    private static final int RESPONSE_MESSAGES = 1_000;
    private static final int RESPONSE_BYTES = 1 << 20;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final String topic;
    private final PubSubFaults faults;
    private final Deque<PubsubMessage> waiting = new ArrayDeque<>();
    private final Map<String, Delivery> leased = new HashMap<>();
    private final List<FakePull> pulls = new ArrayList<>();
    private final Set<String> acknowledged = new HashSet<>();
    private long deliveries;
    private long extensions;
    private int turn;
    /** No lease ends before this time. Checking all leases for each message would take quadratic time. */
    private long firstEndNanos = System.nanoTime();

    FakeSubscription(String topic, PubSubFaults faults) {
        this.topic = topic;
        this.faults = faults;
    }

    private record Delivery(PubsubMessage message, FakePull to, long endNanos) {}

    String topic() {
        return topic;
    }

    synchronized void add(PubsubMessage message) {
        waiting.add(message);
    }

    synchronized void open(FakePull pull) {
        pulls.add(pull);
        deliver();
    }

    synchronized void close(FakePull pull) {
        pulls.remove(pull);
    }

    synchronized List<FakePull> pulls() {
        return List.copyOf(pulls);
    }

    /** Ends expired leases, and delivers queued messages. */
    synchronized void deliver() {
        long now = System.nanoTime();
        if (firstEndNanos - now <= 0) {
            endLeases((id, delivery) -> delivery.endNanos() - now <= 0);
            firstEndNanos = now + LONGEST_NANOS;
            leased.values().forEach(delivery -> endsAt(delivery.endNanos()));
        }
        for (int idle = 0; !waiting.isEmpty() && idle < pulls.size() && !faults.isAway(); ) {
            FakePull pull = pulls.get(turn++ % pulls.size());
            idle = deliverTo(pull, now) ? 0 : idle + 1;
        }
    }

    private void endsAt(long nanos) {
        if (nanos - firstEndNanos < 0) {
            firstEndNanos = nanos;
        }
    }

    private boolean deliverTo(FakePull pull, long now) {
        StreamingPullResponse.Builder response = StreamingPullResponse.newBuilder();
        int bytes = 0;
        while (response.getReceivedMessagesCount() < RESPONSE_MESSAGES
                && bytes < RESPONSE_BYTES
                && !waiting.isEmpty()
                && pull.hasRoom(faults, now)) {
            PubsubMessage message = waiting.remove();
            String id = "delivery-" + deliveries++;
            long end = now + TimeUnit.SECONDS.toNanos(pull.leaseSeconds());
            leased.put(id, new Delivery(message, pull, end));
            endsAt(end);
            pull.delivered(message.getSerializedSize());
            bytes += message.getSerializedSize();
            response.addReceivedMessages(
                    ReceivedMessage.newBuilder().setAckId(id).setMessage(message));
            if (faults.isDuplicate()) {
                waiting.add(message);
            }
        }
        if (bytes > 0) {
            pull.send(response.build());
        }
        return bytes > 0;
    }

    /** Acknowledges deliveries; like the service, it skips ids of deliveries that are over. */
    synchronized void acknowledge(Collection<String> ids) {
        for (String id : ids) {
            Delivery done = leased.remove(id);
            if (done != null) {
                done.to().freed(done.message().getSerializedSize());
                acknowledged.add(done.message().getMessageId());
            }
        }
        deliver();
    }

    synchronized void modify(Collection<String> ids, int seconds) {
        if (seconds == 0) {
            Set<String> which = new HashSet<>(ids);
            endLeases((id, delivery) -> which.contains(id));
            deliver();
            return;
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        endsAt(end);
        for (String id : ids) {
            leased.computeIfPresent(id, (same, was) -> new Delivery(was.message(), was.to(), end));
        }
        extensions++;
    }

    /** Ends all leases, as if they had expired. */
    synchronized void endLeases() {
        endLeases((id, delivery) -> true);
        deliver();
    }

    private void endLeases(BiPredicate<String, Delivery> which) {
        for (Map.Entry<String, Delivery> lease : List.copyOf(leased.entrySet())) {
            if (which.test(lease.getKey(), lease.getValue())) {
                leased.remove(lease.getKey());
                lease.getValue().to().freed(lease.getValue().message().getSerializedSize());
                waiting.addFirst(lease.getValue().message());
            }
        }
    }

    synchronized int waiting() {
        return waiting.size();
    }

    synchronized int leased() {
        return leased.size();
    }

    synchronized int acknowledged() {
        return acknowledged.size();
    }

    synchronized long deliveries() {
        return deliveries;
    }

    synchronized long extensions() {
        return extensions;
    }
}
