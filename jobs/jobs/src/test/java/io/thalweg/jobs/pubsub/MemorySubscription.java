package io.thalweg.jobs.pubsub;

import io.thalweg.warehouse.PullAddress;
import io.thalweg.warehouse.PullStream;
import io.thalweg.warehouse.PulledMessages;
import io.thalweg.warehouse.PulledMessages.Message;
import io.thalweg.warehouse.PulledMessages.Receipt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A subscription in memory, with streams that deliver ten messages at a time. */
final class MemorySubscription implements PullAddress {
    private static final long serialVersionUID = 1L;
    private static final int TOGETHER = 10;

    private final transient Deque<Message> waiting = new ArrayDeque<>();
    private final transient List<String> acknowledged = new ArrayList<>();
    private final transient List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private transient int published;
    private transient int deliveries;

    void publish(List<byte[]> messages) {
        synchronized (this) {
            for (byte[] data : messages) {
                waiting.add(new Message("m" + published++, data, System.currentTimeMillis()));
            }
        }
        listeners.forEach(Runnable::run);
    }

    /** Ids in the order of their acknowledgements. */
    synchronized List<String> acknowledged() {
        return List.copyOf(acknowledged);
    }

    @Override
    public String name() {
        return "projects/my-project/subscriptions/memory";
    }

    @Override
    public PullStream open(Runnable arrived) {
        listeners.add(arrived);
        return new Stream(arrived);
    }

    private final class Stream implements PullStream {
        private final Map<String, Message> leased = new LinkedHashMap<>();
        private final Runnable arrived;
        private final long openedNanos = System.nanoTime();

        Stream(Runnable arrived) {
            this.arrived = arrived;
        }

        @Override
        public @Nullable PulledMessages poll() {
            synchronized (MemorySubscription.this) {
                List<Message> messages = new ArrayList<>();
                List<String> leases = new ArrayList<>();
                for (Message next = waiting.poll(); next != null; next = waiting.poll()) {
                    String lease = "d" + deliveries++;
                    leased.put(lease, next);
                    leases.add(lease);
                    messages.add(next);
                    if (messages.size() == TOGETHER) {
                        break;
                    }
                }
                return messages.isEmpty() ? null : new PulledMessages(messages, new Receipt(leases));
            }
        }

        @Override
        public void acknowledge(Receipt receipt) {
            synchronized (MemorySubscription.this) {
                for (String lease : receipt.leases()) {
                    Message done = leased.remove(lease);
                    if (done != null) {
                        acknowledged.add(done.id());
                    }
                }
            }
        }

        @Override
        public State state() {
            synchronized (MemorySubscription.this) {
                long bytes = leased.values().stream()
                        .mapToLong(message -> message.data().length)
                        .sum();
                return new State(leased.size(), bytes, 0, waiting.isEmpty() ? System.nanoTime() - openedNanos : 0);
            }
        }

        @Override
        public void close() {
            synchronized (MemorySubscription.this) {
                waiting.addAll(leased.values());
                leased.clear();
            }
            listeners.remove(arrived);
            listeners.forEach(Runnable::run);
        }
    }
}
