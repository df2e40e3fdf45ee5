package io.thalweg.warehouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.warehouse.PulledMessages.Message;
import io.thalweg.warehouse.PulledMessages.Receipt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of every stream of messages; one subclass per service. */
@Timeout(Await.TIMEOUT_SECONDS)
public abstract class PullStreamContract {
    /** Returns a subscription without messages. */
    protected abstract PullAddress address();

    /** The time that the service waits before it redelivers a message. */
    protected abstract Duration lease();

    /** Publishes messages to the subscription's topic. */
    protected abstract void publish(List<byte[]> messages);

    /** A stream and all messages that were polled from it. */
    protected static final class Reader implements AutoCloseable {
        private final Semaphore arrivals = new Semaphore(0);
        private final PullStream stream;
        private final List<Message> messages = new ArrayList<>();
        private final List<Receipt> receipts = new ArrayList<>();

        public Reader(PullAddress address) {
            stream = address.open(arrivals::release);
        }

        public PullStream stream() {
            return stream;
        }

        public List<Message> messages() {
            return messages;
        }

        /** The ids of all messages in the order of their arrival. */
        public List<String> ids() {
            return messages.stream().map(Message::id).toList();
        }

        /** The texts of all messages, sorted, each once. */
        public List<String> texts() {
            return messages.stream()
                    .map(message -> new String(message.data(), StandardCharsets.UTF_8))
                    .distinct()
                    .sorted()
                    .toList();
        }

        /** Polls the available messages. */
        public void poll() {
            for (PulledMessages next = stream.poll(); next != null; next = stream.poll()) {
                messages.addAll(next.messages());
                receipts.add(next.receipt());
            }
        }

        /** Polls, and waits for arrivals in between, until a condition is met. */
        public void pollUntil(BooleanSupplier done) throws InterruptedException {
            long deadline = System.nanoTime() + Await.PATIENCE.toNanos();
            poll();
            while (!done.getAsBoolean()) {
                assertThat(System.nanoTime())
                        .as("still waiting; there are %d messages", messages.size())
                        .isLessThan(deadline);
                var unused = arrivals.tryAcquire(20, TimeUnit.MILLISECONDS);
                poll();
            }
        }

        /** Polls until there are {@code count} messages. */
        public void pollFor(int count) throws InterruptedException {
            pollUntil(() -> messages.size() >= count);
        }

        /** Acknowledges the polled messages. */
        public void acknowledge() {
            receipts.forEach(stream::acknowledge);
            receipts.clear();
        }

        @Override
        public void close() {
            stream.close();
        }
    }

    /** Creates messages with a text and a number each. */
    protected static List<byte[]> texts(String text, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "%s-%05d".formatted(text, i).getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static List<String> strings(List<byte[]> texts) {
        return texts.stream()
                .map(text -> new String(text, StandardCharsets.UTF_8))
                .sorted()
                .toList();
    }

    @Test
    void poll_publishedMessages_arriveWithIdTimeAndData() throws Exception {
        long before = System.currentTimeMillis() - 60_000;
        List<byte[]> sent = texts("ride", 500);
        publish(sent);
        try (Reader reader = new Reader(address())) {
            reader.pollFor(500);

            assertThat(reader.texts()).isEqualTo(strings(sent));
            assertThat(new HashSet<>(reader.ids())).hasSize(500);
            assertThat(reader.messages()).allMatch(message -> message.publishedMs() > before);
            assertThat(reader.stream().state().messages()).isEqualTo(500);
            assertThat(reader.stream().state().bytes()).isGreaterThanOrEqualTo(500 * 10);
            reader.acknowledge();
        }
    }

    @Test
    void acknowledge_polledMessages_areNotDeliveredToTheNextStream() throws Exception {
        publish(texts("first", 200));
        try (Reader reader = new Reader(address())) {
            reader.pollFor(200);
            reader.acknowledge();
        }
        publish(texts("second", 1));
        try (Reader next = new Reader(address())) {
            next.pollFor(1);

            assertThat(next.texts()).containsExactly("second-00000");
            next.acknowledge();
        }
    }

    @Test
    void close_unacknowledgedMessages_areDeliveredAgainWithTheirIds() throws Exception {
        publish(texts("ride", 100));
        List<String> ids;
        try (Reader reader = new Reader(address())) {
            reader.pollFor(100);
            ids = reader.ids();
        }
        try (Reader next = new Reader(address())) {
            next.pollFor(100);

            assertThat(next.ids()).containsExactlyInAnyOrderElementsOf(ids);
            next.acknowledge();
        }
    }

    @Test
    void poll_messagesHeldBeyondTheirLease_areNotDeliveredAgain() throws Exception {
        publish(texts("ride", 50));
        try (Reader holder = new Reader(address());
                Reader other = new Reader(address())) {
            long end = System.nanoTime() + lease().toNanos() * 5 / 4;
            BooleanSupplier allAreHere =
                    () -> holder.messages().size() + other.messages().size() >= 50;
            holder.pollUntil(() -> {
                other.poll();
                return allAreHere.getAsBoolean() && System.nanoTime() - end > 0;
            });

            assertThat(holder.messages().size() + other.messages().size()).isEqualTo(50);
            holder.acknowledge();
            other.acknowledge();
            holder.pollUntil(() -> holder.stream().state().messages() == 0);
            assertThat(holder.stream().state().bytes()).isZero();
        }
    }

    @Test
    void state_nothingIsDelivered_becomesQuiet() throws Exception {
        publish(texts("ride", 1));
        try (Reader reader = new Reader(address())) {
            reader.pollFor(1);
            reader.pollUntil(() -> reader.stream().state().quietNanos() > 1_000_000);
            reader.acknowledge();
        }
    }
}
