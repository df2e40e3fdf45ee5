package io.thalweg.jobs.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests when messages are acknowledged, with a reader that is driven by hand as its task would. */
class PullReaderTest {
    private final MemorySubscription subscription = new MemorySubscription();
    private final String job = UUID.randomUUID().toString();
    private final Map<String, Gauge<?>> gauges = new HashMap<>();
    private final MetricGroup flink = new Group("");

    /** Keeps metrics by their names. */
    private final class Group extends UnregisteredMetricsGroup {
        private final String path;

        Group(String path) {
            this.path = path;
        }

        @Override
        public MetricGroup addGroup(String name) {
            return new Group(path + name + ".");
        }

        @Override
        public MetricGroup addGroup(String key, String value) {
            return new Group(path + key + "=" + value + ".");
        }

        @Override
        public Counter counter(String name) {
            Counter counter = new SimpleCounter();
            gauges.put(path + name, counter::getCount);
            return counter;
        }

        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            gauges.put(path + name, gauge);
            return gauge;
        }
    }

    private long flink(String name) {
        return ((Number) Objects.requireNonNull(gauges.get("thalweg.ingest=rides." + name))
                        .getValue())
                .longValue();
    }

    private PullReader open(int streams) {
        PullReader reader = new PullReader(subscription, PullAccount.of(job), 0, PubSubSource.metrics(flink, "rides"));
        reader.start();
        reader.addSplits(IntStream.range(0, streams).mapToObj(PullSplit::stream).toList());
        return reader;
    }

    private void publish(int count) {
        subscription.publish(IntStream.range(0, count)
                .mapToObj(i -> ("ride " + i).getBytes(StandardCharsets.UTF_8))
                .toList());
    }

    /** Polls until nothing is available and returns the ids. */
    private static List<String> drain(PullReader reader) {
        List<String> ids = new ArrayList<>();
        InputStatus status = InputStatus.MORE_AVAILABLE;
        while (status == InputStatus.MORE_AVAILABLE) {
            status = poll(reader, ids);
        }
        return ids;
    }

    private static InputStatus poll(PullReader reader, List<String> ids) {
        CollectedRecords output = new CollectedRecords();
        InputStatus status = reader.pollNext(output);
        ids.addAll(output.ids());
        return status;
    }

    @Test
    void notifyCheckpointComplete_acknowledgesWhatTheCheckpointCovers() throws Exception {
        PullReader reader = open(1);
        publish(15);
        List<String> first = drain(reader);
        assertThat(reader.snapshotState(1)).noneMatch(PullSplit::isStream);
        publish(5);
        assertThat(drain(reader)).hasSize(5);
        assertThat(subscription.acknowledged())
                .as("before the checkpoint is complete")
                .isEmpty();

        reader.notifyCheckpointComplete(1);

        assertThat(subscription.acknowledged()).containsExactlyElementsOf(first);
        reader.close();
    }

    @Test
    void metrics_deliveredAndAcknowledged_areThoseOfTheStreams() throws Exception {
        PullReader reader = open(2);
        publish(15);
        List<String> ids = drain(reader);
        reader.snapshotState(1);
        assertThat(flink("ingest_delivered")).isEqualTo(ids.size()).isEqualTo(15);
        assertThat(flink("ingest_unacknowledged")).isEqualTo(15);

        reader.notifyCheckpointComplete(1);

        assertThat(flink("ingest_delivered")).isEqualTo(15);
        assertThat(flink("ingest_unacknowledged")).isZero();
        assertThat(flink("ingest_source_retries")).isZero();
        reader.close();
    }

    @Test
    void notifyCheckpointComplete_laterOne_coversEarlierOnesThatFailed() throws Exception {
        PullReader reader = open(1);
        publish(10);
        List<String> ids = drain(reader);
        reader.snapshotState(1);
        reader.notifyCheckpointAborted(1);
        publish(10);
        ids.addAll(drain(reader));
        reader.snapshotState(2);
        publish(10);
        assertThat(drain(reader)).hasSize(10);
        reader.snapshotState(3);

        reader.notifyCheckpointComplete(2);

        assertThat(subscription.acknowledged()).containsExactlyElementsOf(ids);
        reader.close();
    }

    @Test
    void close_whatNoCheckpointCovers_isDeliveredToTheNextReader() throws Exception {
        PullReader reader = open(2);
        publish(30);
        Set<String> ids = new HashSet<>(drain(reader));
        reader.snapshotState(1);
        reader.close();

        PullReader next = open(2);
        assertThat(new HashSet<>(drain(next))).isEqualTo(ids);
        next.close();
    }

    @Test
    void isAvailable_messageArrivesAfterNothingWas_completes() throws Exception {
        PullReader reader = open(1);
        assertThat(drain(reader)).isEmpty();
        assertThat(reader.isAvailable()).isNotDone();

        publish(1);

        assertThat(reader.isAvailable()).isDone();
        assertThat(drain(reader)).containsExactly("m0");
        reader.close();
    }

    /** Takes a checkpoint and returns the note that it contains. */
    private static PullSplit note(PullReader reader, long checkpoint) {
        List<PullSplit> splits = reader.snapshotState(checkpoint);
        assertThat(splits).hasSize(1).noneMatch(PullSplit::isStream);
        return splits.get(0);
    }

    @Test
    void snapshotState_streamsThatDeliverNothing_notesForHowLong() throws Exception {
        PullReader reader = open(2);
        AtomicLong checkpoint = new AtomicLong();
        Await.until("quiet", () -> note(reader, checkpoint.incrementAndGet()).quietMs() > 0);
        PullSplit.Serializer serializer = new PullSplit.Serializer();
        PullSplit quiet = note(reader, checkpoint.incrementAndGet());
        assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(quiet)))
                .isEqualTo(quiet);

        publish(1);

        assertThat(note(reader, checkpoint.incrementAndGet()).quietMs())
                .as("a message waits in one of the streams")
                .isZero();
        reader.close();
    }

    @Test
    void addSplits_noteOfACheckpoint_opensNoStream() throws Exception {
        PullReader reader = open(0);
        reader.addSplits(List.of(PullSplit.quiet(60_000)));
        publish(1);

        assertThat(drain(reader)).isEmpty();
        assertThat(note(reader, 1).quietMs()).as("no stream is open").isZero();
        reader.close();
    }

    /** Restarts at random points: unacknowledged messages are redelivered, and only messages covered by a checkpoint are acknowledged. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void acknowledged_randomRestarts_isWhatCompletedCheckpointsCover(long seed) throws Exception {
        Random random = new Random(seed);
        Set<String> covered = new HashSet<>();
        Set<String> emitted = new HashSet<>();
        List<Set<String>> checkpoints = new ArrayList<>();
        int published = 0;
        PullReader reader = open(1 + random.nextInt(3));
        for (int step = 0; step < 200; step++) {
            switch (random.nextInt(6)) {
                case 0 -> {
                    int count = random.nextInt(40);
                    publish(count);
                    published += count;
                }
                case 1 -> {
                    checkpoints.add(new HashSet<>(emitted));
                    reader.snapshotState(checkpoints.size());
                }
                case 2 -> {
                    if (!checkpoints.isEmpty()) {
                        int complete = 1 + random.nextInt(checkpoints.size());
                        reader.notifyCheckpointComplete(complete);
                        covered.addAll(checkpoints.get(complete - 1));
                    }
                }
                case 3 -> {
                    reader.close();
                    emitted.retainAll(covered);
                    checkpoints.replaceAll(ids -> new HashSet<>(covered));
                    reader = open(1 + random.nextInt(3));
                }
                default -> {
                    List<String> ids = new ArrayList<>();
                    var unused = poll(reader, ids);
                    emitted.addAll(ids);
                }
            }
            assertThat(new HashSet<>(subscription.acknowledged())).isEqualTo(covered);
        }
        emitted.addAll(drain(reader));
        assertThat(emitted).as("nothing is lost").hasSize(published);
        reader.close();
    }
}
