package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.formats.BadReason;
import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the account of events over runs that end in different ways and continue with another parallelism. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
@Timeout(Await.TIMEOUT_SECONDS)
class AccountIT {
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Await.PATIENCE;

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

    /** One attempt ends without a savepoint, so the next one reads its events again. */
    @Test
    void resume_severalTimesAtOtherParallelism_accountIsThatOfOneReading() throws Exception {
        FeatureView view = CityEvents.view("demand", "accounted", "10m", "json", "at_least_once");
        KafkaFixture.createTopics(broker, view, PARTITIONS);
        List<List<String>> events = KafkaFixture.spread(CityEvents.events(31, 2_000, 52.52, 13.4), PARTITIONS);
        KafkaFixture.spoil(events, 31);
        List<Map<String, Long>> golden = new ArrayList<>();
        for (int quarter = 1; quarter <= 4; quarter++) {
            golden.add(reading(view, quarters(events, 0, quarter)));
        }
        assertThat(golden.get(0)).containsKeys("accepted", "skipped", "bad", "late", "undecodable");
        KafkaFixture fixture = new KafkaFixture(broker, folder);

        fixture.produce(view, quarters(events, 0, 1));
        Attempt first = attempt(fixture, view, 2, null);
        first.awaitAccount(golden.get(0));
        Path savepoint = first.stop();

        fixture.produce(view, quarters(events, 1, 2));
        Attempt killed = attempt(fixture, view, 4, savepoint);
        killed.awaitAccount(golden.get(1));
        killed.client.cancel().get();

        fixture.produce(view, quarters(events, 2, 3));
        Attempt again = attempt(fixture, view, 1, savepoint);
        again.awaitAccount(golden.get(2));
        Path second = again.stop();

        fixture.produce(view, quarters(events, 3, 4));
        Attempt last = attempt(fixture, view, 3, second);
        last.awaitAccount(golden.get(3));
        last.client.cancel().get();
    }

    /** Returns a range of quarters of each partition's events. */
    private static List<List<String>> quarters(List<List<String>> events, int from, int to) {
        return events.stream()
                .map(partition -> partition.subList(from * partition.size() / 4, to * partition.size() / 4))
                .toList();
    }

    /** Counts events by outcome and by reason when each partition is read once from its beginning. */
    private static Map<String, Long> reading(FeatureView view, List<List<String>> partitions) throws IOException {
        Map<String, Long> account = new TreeMap<>();
        for (List<String> events : partitions) {
            byte[] lines = String.join("\n", events).getBytes(StandardCharsets.UTF_8);
            BatchReader.of(List.of(view)).read(new ByteArrayInputStream(lines), "events", verdict -> {
                account.merge(verdict.outcome().text(), 1L, Long::sum);
                DeadLetter letter = verdict.deadLetter();
                if (letter != null) {
                    account.merge(letter.reason().text(), 1L, Long::sum);
                }
            });
        }
        return account;
    }

    private Attempt attempt(KafkaFixture fixture, FeatureView view, int parallelism, @Nullable Path from)
            throws Exception {
        // The clock never reaches the events, so silence alone does not end a window.
        ClockSpec clock = new ClockSpec(System.currentTimeMillis(), CityEvents.START_MS - 86_400_000L, 1);
        ComputeJob job = fixture.job("accounted", List.of(view), clock, from != null);
        JobClient client = fixture.start(parallelism, from, job);
        return new Attempt(client, JobMetrics.of(job.jobId()).view(view.qualifiedName()));
    }

    private final class Attempt {
        private final JobClient client;
        private final JobMetrics.View metrics;

        Attempt(JobClient client, JobMetrics.View metrics) {
            this.client = client;
            this.metrics = metrics;
        }

        /** Waits until all events are counted; more than these would show as a difference. */
        void awaitAccount(Map<String, Long> expected) throws InterruptedException {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!account().equals(expected) && System.nanoTime() < deadline) {
                Thread.sleep(20);
            }
            assertThat(account()).isEqualTo(expected);
        }

        private Map<String, Long> account() {
            Map<String, Long> account = new TreeMap<>();
            for (EventOutcome outcome : EventOutcome.values()) {
                put(account, outcome.text(), metrics.outcome(outcome));
            }
            for (BadReason reason : BadReason.values()) {
                // An outcome and a reason may share a name; all late events are late for this reason.
                put(account, reason.text(), metrics.badCount(reason));
            }
            return account;
        }

        private static void put(Map<String, Long> account, String name, long events) {
            if (events != 0) {
                account.merge(name, events, Long::sum);
            }
        }

        /** Ends with a savepoint, which Flink refuses until all tasks run. */
        Path stop() throws Exception {
            String place = folder.resolve("savepoints").toUri().toString();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (true) {
                try {
                    return Path.of(URI.create(client.stopWithSavepoint(false, place, SavepointFormatType.CANONICAL)
                            .get()));
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof CheckpointException) || System.nanoTime() > deadline) {
                        throw e;
                    }
                    Thread.sleep(20);
                }
            }
        }
    }
}
