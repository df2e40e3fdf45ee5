package io.thalweg.google.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PubsubMessage;
import io.grpc.Status;
import io.thalweg.devkit.google.PubSubFake;
import io.thalweg.google.GoogleAccess;
import io.thalweg.google.pubsub.PubSubAddress.Limits;
import io.thalweg.testing.Seeds;
import io.thalweg.warehouse.PullAddress;
import io.thalweg.warehouse.PullStreamContract;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Streams through Google's own client, from a fake service that fails on demand. */
class PubSubStreamTest extends PullStreamContract {
    private static final String TOPIC = "projects/my-project/topics/rides";
    private static final String SUBSCRIPTION = "projects/my-project/subscriptions/rides-lake";
    private static final Duration LEASE = Duration.ofSeconds(10);

    private PubSubFake service;

    @BeforeEach
    void start() throws IOException {
        service = PubSubFake.start();
        service.create(TOPIC, SUBSCRIPTION);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private GoogleAccess access() {
        return GoogleAccess.of(null, service.endpoint());
    }

    @Override
    protected PullAddress address() {
        return address(250_000, 256 << 20);
    }

    private PubSubAddress address(long messages, long bytes) {
        return new PubSubAddress(SUBSCRIPTION, access(), new Limits(messages, bytes, LEASE));
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    @Override
    protected void publish(List<byte[]> messages) {
        messages.forEach(data -> service.publish(
                TOPIC,
                PubsubMessage.newBuilder().setData(ByteString.copyFrom(data)).build()));
    }

    @Test
    void publish_manyMessages_arriveInBatches() throws Exception {
        try (PubSubTopic topic = PubSubTopic.open(TOPIC, access())) {
            texts("ride", 5_000).forEach(topic::publish);
        }

        try (Reader reader = new Reader(address())) {
            reader.pollFor(5_000);
            assertThat(reader.texts()).hasSize(5_000);
            reader.acknowledge();
        }
    }

    @Test
    void acknowledge_requestsFailOrLoseTheirAnswers_isSentAgain() throws Exception {
        publish(texts("ride", 2_500));
        Status away = Status.UNAVAILABLE.withDescription("on demand");
        Status lost = Status.INTERNAL.withDescription("on demand");
        service.faults().beforeAcknowledge(away, lost, away);
        service.faults().afterAcknowledge(lost, lost);
        try (Reader reader = new Reader(address())) {
            reader.pollFor(2_500);
            reader.acknowledge();
            reader.pollUntil(() -> reader.stream().state().messages() == 0);
        }

        assertThat(service.acknowledged(SUBSCRIPTION)).isEqualTo(2_500);
    }

    @Test
    void acknowledge_isRefused_endsTheWaitAndDeliversAgain() throws Exception {
        publish(texts("ride", 10));
        service.faults().beforeAcknowledge(Status.INVALID_ARGUMENT.withDescription("on demand"));
        try (Reader reader = new Reader(address())) {
            reader.pollFor(10);
            reader.acknowledge();
            reader.pollUntil(() -> reader.stream().state().messages() == 0);
            assertThat(service.leased(SUBSCRIPTION)).isEqualTo(10);
            service.endLeases(SUBSCRIPTION);
            reader.pollFor(20);

            assertThat(new HashSet<>(reader.ids())).hasSize(10);
            reader.acknowledge();
        }

        assertThat(service.acknowledged(SUBSCRIPTION)).isEqualTo(10);
    }

    @Test
    void poll_streamsBreak_goesOn() throws Exception {
        try (Reader reader = new Reader(address())) {
            for (int round = 1; round <= 5; round++) {
                reader.pollUntil(() -> service.streams(SUBSCRIPTION) == 1);
                service.breakStreams(SUBSCRIPTION, round % 2 == 0 ? Status.UNAVAILABLE : Status.INTERNAL);
                publish(texts("ride-" + round, 10));
                reader.pollFor(10 * round);
            }

            assertThat(reader.texts()).hasSize(50);
            assertThat(reader.stream().state().retries()).isGreaterThanOrEqualTo(5);
            reader.acknowledge();
        }
    }

    @Test
    void state_serviceIsAway_isNotQuietUntilItIsBack() throws Exception {
        service.faults().away(true);
        try (Reader reader = new Reader(address())) {
            reader.pollUntil(() -> reader.stream().state().retries() > 1);
            long begun = System.nanoTime();
            long retries = reader.stream().state().retries();
            reader.pollUntil(() -> reader.stream().state().retries() > retries + 1);
            long quietNanos = reader.stream().state().quietNanos();
            assertThat(quietNanos).as("a new connection is not quiet yet").isLessThan(System.nanoTime() - begun);
            service.faults().away(false);
            publish(texts("ride", 3));
            reader.pollFor(3);
            reader.acknowledge();
        }
    }

    @Test
    void poll_missingSubscription_fails() {
        PubSubAddress missing = new PubSubAddress("projects/my-project/subscriptions/none", access(), Limits.STANDARD);
        try (Reader reader = new Reader(missing)) {
            assertThatThrownBy(() -> reader.pollFor(1))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("projects/my-project/subscriptions/none cannot be read: NOT_FOUND");
        }
    }

    @Test
    void poll_unacknowledgedMessages_areBounded() throws Exception {
        publish(texts("ride", 5_000));
        try (Reader reader = new Reader(address(700, 256 << 20))) {
            long most = 0;
            while (reader.messages().size() < 5_000) {
                reader.pollFor(Math.min(5_000, reader.messages().size() + 700));
                most = Math.max(most, reader.stream().state().messages());
                assertThat(service.leased(SUBSCRIPTION)).isLessThanOrEqualTo(700);
                reader.acknowledge();
            }

            assertThat(most).isEqualTo(700);
            assertThat(new HashSet<>(reader.ids())).hasSize(5_000);
        }
    }

    /** An emulator has no flow control; then only the client limits the queue: to the limit and one response. */
    @Test
    void poll_serviceWithoutFlowControl_isBoundedByTheClient() throws Exception {
        service.faults().ignoreFlowControl(true);
        publish(texts("ride", 20_000));
        try (Reader reader = new Reader(address(250_000, 40_000))) {
            long most = 0;
            while (reader.messages().size() < 20_000) {
                reader.pollUntil(() -> reader.stream().state().bytes() >= 40_000
                        || reader.messages().size() >= 20_000);
                most = Math.max(most, reader.stream().state().bytes());
                reader.acknowledge();
            }

            assertThat(most).isLessThan(40_000 + 1_000 * 60);
            assertThat(new HashSet<>(reader.ids())).hasSize(20_000);
        }
    }

    @Test
    void poll_attributesOnly_hasNoData() throws Exception {
        var unused = service.publish(
                TOPIC, PubsubMessage.newBuilder().putAttributes("kind", "ping").build());
        try (Reader reader = new Reader(address())) {
            reader.pollFor(1);

            assertThat(reader.messages().get(0).data()).isEmpty();
            reader.acknowledge();
        }
    }

    @Test
    void publish_missingTopic_fails() {
        PubSubTopic topic = PubSubTopic.open("projects/my-project/topics/none", access());
        topic.publish(new byte[] {1});

        assertThatThrownBy(topic::close)
                .isInstanceOf(WarehouseException.class)
                .hasMessageContaining("projects/my-project/topics/none cannot be written: NOT_FOUND");
    }

    /** Fewer than elsewhere: each takes a second, mostly pauses before connections. */
    static LongStream seeds() {
        return Seeds.seeds();
    }

    /** Despite all faults, each message arrives, and in the end all are acknowledged. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void poll_randomTrouble_losesNothing(long seed) throws Exception {
        Random random = new Random(seed);
        Set<String> ids = new HashSet<>();
        int published = 0;
        service.faults().duplicateEvery(1 + random.nextInt(20));
        for (int streams = 0; streams < 3; streams++) {
            try (Reader reader = new Reader(address(1 + random.nextInt(300), 1 + random.nextInt(20_000)))) {
                for (int step = 0; step < 15; step++) {
                    switch (random.nextInt(6)) {
                        case 0, 1 -> {
                            int count = random.nextInt(100);
                            publish(texts(streams + "-" + step, count));
                            published += count;
                        }
                        case 2 -> service.breakStreams(SUBSCRIPTION, Status.UNAVAILABLE);
                        case 3 -> service.endLeases(SUBSCRIPTION);
                        case 4 -> service.faults().afterAcknowledge(Status.UNAVAILABLE);
                        default -> reader.acknowledge();
                    }
                    reader.poll();
                }
                if (random.nextBoolean()) {
                    reader.acknowledge();
                }
                ids.addAll(reader.ids());
            }
        }
        service.faults().duplicateEvery(0);
        int all = published;
        try (Reader reader = new Reader(address())) {
            reader.pollUntil(() -> {
                reader.acknowledge();
                return service.acknowledged(SUBSCRIPTION) == all;
            });
            ids.addAll(reader.ids());
        }

        assertThat(ids).hasSize(all);
    }
}
