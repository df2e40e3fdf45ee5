package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.core.execution.JobClient;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests silence of one partition and of all partitions. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
class IdlenessIT {
    private static final long DAY_MS = 86_400_000L;
    private static final long MARKER_MS = CityEvents.START_MS + 3 * 3_600_000L;

    private static EmbeddedKafka broker;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        broker = EmbeddedKafka.start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static List<List<String>> all(List<String> events) {
        return List.of(new ArrayList<>(events), new ArrayList<>());
    }

    @Test
    void silence_ofOnePartitionThenOfAll_endsWindowsAndMarksWhatComesBehind() throws Exception {
        FeatureView view = CityEvents.view("demand", "silent", "2s", "json", "at_least_once");
        KafkaFixture.createTopics(broker, view, 2);
        List<List<String>> events = all(CityEvents.events(3, 800, 48.86, 2.35));
        NaiveRows expected = NaiveRows.ofPartitions(view, events);
        List<String> everything = expected.upTo(Long.MAX_VALUE);
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        fixture.produce(view, events);
        // The clock runs 30 times as fast: within 2 s of silence it passes every window.
        ClockSpec fast = new ClockSpec(System.currentTimeMillis(), CityEvents.START_MS + 2 * 3_600_000L, 30);

        JobClient job = fixture.start(2, null, fixture.job("silent", List.of(view), fast, false));
        long passedMs = CityEvents.START_MS + 2 * 3_600_000L;
        KafkaFixture.Rows rows = fixture.rows(view, passedMs, false);
        assertThat(rows.lines).as("nothing but silence followed the events").isEqualTo(everything);

        long newest =
                events.get(0).stream().mapToLong(KafkaFixture::timeMs).max().orElseThrow();
        String counted = events.get(0).stream()
                .filter(event -> !event.contains("cancel"))
                .findFirst()
                .orElseThrow();
        String behind = counted.replaceAll("\"ts\":\\d+", "\"ts\":" + (newest + 1));
        fixture.produce(view, all(List.of(behind)));
        assertThat(fixture.deadLetters(view, 1))
                .singleElement()
                .asString()
                .contains("\"reason\":\"late_idle\"", "\"raw\":\"" + behind.replace("\"", "\\\"") + "\"");
        job.cancel().get();
        assertThat(fixture.rows(view, passedMs, false).lines).isEqualTo(everything);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void silence_ofOnePartition_doesNotHoldTheOthersRows(int readers) throws Exception {
        FeatureView view = CityEvents.view("demand", "half-silent-" + readers, "2s", "json", "at_least_once");
        KafkaFixture.createTopics(broker, view, 2);
        List<List<String>> events = all(CityEvents.events(4, 800, 48.86, 2.35));
        events.get(0).add(KafkaFixture.marker(MARKER_MS));
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        fixture.produce(view, events);
        // The clock is a day behind, so rows are emitted only by the clock of the active partition.
        ClockSpec behind = new ClockSpec(System.currentTimeMillis(), CityEvents.START_MS - DAY_MS, 1);

        JobClient job = fixture.start(readers, null, fixture.job("half-silent", List.of(view), behind, false));
        KafkaFixture.Rows rows;
        try (Speaker speaker = new Speaker(fixture, view, MARKER_MS)) {
            speaker.start();
            rows = fixture.rows(view, MARKER_MS - 60_000, false);
        }
        job.cancel().get();
        assertThat(rows.lines)
                .isEqualTo(NaiveRows.ofPartitions(view, events).upTo(MARKER_MS - 60_000))
                .isNotEmpty();
    }

    @Test
    void silence_besideAPartitionBehindTheClock_promisesNoMoreThanThatOneHasSeen() throws Exception {
        FeatureView view = CityEvents.view("demand", "lagging", "5s", "json", "at_least_once");
        KafkaFixture.createTopics(broker, view, 2);
        List<List<String>> events = all(CityEvents.events(5, 800, 48.86, 2.35));
        events.get(0).add(KafkaFixture.marker(MARKER_MS));
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        fixture.produce(view, events);
        // The clock allows a day more than the first partition has reached.
        ClockSpec ahead = new ClockSpec(System.currentTimeMillis(), MARKER_MS + DAY_MS, 1);

        JobClient job = fixture.start(2, null, fixture.job("lagging", List.of(view), ahead, false));
        // If the speaker stalled as long as the idle time, all partitions would be silent and follow the clock.
        try (Speaker speaker = new Speaker(fixture, view, MARKER_MS)) {
            speaker.start();
            fixture.rows(view, MARKER_MS - 60_000, false);
            String behindTheClock = events.get(0).stream()
                    .filter(event -> !event.contains("cancel"))
                    .findFirst()
                    .orElseThrow()
                    .replaceAll("\"ts\":\\d+", "\"ts\":" + (MARKER_MS + 5_000));
            events.get(1).add(behindTheClock);
            fixture.produce(view, List.of(List.of(), events.get(1)));
        }
        String end = KafkaFixture.marker(MARKER_MS + 600_000);
        events.forEach(partition -> partition.add(end));
        fixture.produce(view, List.of(List.of(end), List.of(end)));
        KafkaFixture.Rows rows = fixture.rows(view, MARKER_MS + 540_000, false);
        job.cancel().get();
        assertThat(rows.lines)
                .isEqualTo(NaiveRows.ofPartitions(view, events).upTo(MARKER_MS + 540_000))
                .anyMatch(line ->
                        line.contains(Instant.ofEpochMilli(MARKER_MS + 60_000).toString()));
    }

    @Test
    void silence_whileATransactionIsOpen_isNone() throws Exception {
        FeatureView view = CityEvents.view("demand", "transaction", "2s", "json", "at_least_once");
        KafkaFixture.createTopics(broker, view, 1);
        List<String> events = CityEvents.events(6, 800, 48.86, 2.35);
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        long passedMs = CityEvents.START_MS + 2 * 3_600_000L;
        ClockSpec fast = new ClockSpec(System.currentTimeMillis(), passedMs, 30);

        JobClient job;
        try (KafkaProducer<byte[], byte[]> producer = fixture.transactionalProducer()) {
            producer.initTransactions();
            producer.beginTransaction();
            fixture.send(producer, view, 0, events.subList(0, 400));
            producer.commitTransaction();
            producer.beginTransaction();
            fixture.send(producer, view, 0, events.subList(400, 800));
            job = fixture.start(1, null, fixture.job("transaction", List.of(view), fast, false));
            // All committed records are read, and two minutes pass by the job's clock, but the open transaction holds
            // back
            // the rows.
            LockSupport.parkNanos(4_000_000_000L);
            producer.commitTransaction();
        }
        KafkaFixture.Rows rows = fixture.rows(view, passedMs, false);
        // Including the transaction markers: a job that resumes there must not request offsets that may be deleted by
        // then.
        awaitCommitted(
                "thalweg-transaction", new TopicPartition(view.source().topics().get(0), 0), 802);
        job.cancel().get();
        assertThat(rows.lines)
                .isEqualTo(NaiveRows.ofPartitions(view, List.of(events)).upTo(Long.MAX_VALUE));
    }

    private static void awaitCommitted(String group, TopicPartition partition, long offset) throws Exception {
        long until = System.nanoTime() + Await.PATIENCE.toNanos();
        OffsetAndMetadata committed = null;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            while ((committed == null || committed.offset() < offset) && System.nanoTime() - until < 0) {
                LockSupport.parkNanos(100_000_000);
                committed = admin.listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .get(partition);
            }
        }
        assertThat(committed).isEqualTo(new OffsetAndMetadata(offset));
    }

    /** Repeatedly sends a marker with a fixed time to the first partition; the second one stays silent. */
    private static final class Speaker implements AutoCloseable {
        private final AtomicBoolean speaking = new AtomicBoolean(true);
        private final Thread thread;

        Speaker(KafkaFixture fixture, FeatureView view, long timeMs) {
            thread = new Thread(() -> speak(fixture, view, timeMs), "speaker");
        }

        void start() {
            thread.start();
        }

        private void speak(KafkaFixture fixture, FeatureView view, long timeMs) {
            while (speaking.get()) {
                fixture.produce(view, List.of(List.of(KafkaFixture.marker(timeMs)), List.of()));
                LockSupport.parkNanos(300_000_000);
            }
        }

        @Override
        public void close() {
            speaking.set(false);
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
