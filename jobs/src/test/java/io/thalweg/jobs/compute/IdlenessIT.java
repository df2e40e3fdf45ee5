package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.FeatureView;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Silence: of one partition, and of all of them. */
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
        KafkaWorld.createTopics(broker, view, 2);
        List<List<String>> events = all(CityEvents.events(3, 800, 48.86, 2.35));
        NaiveRows expected = NaiveRows.ofPartitions(view, events);
        List<String> everything = expected.upTo(Long.MAX_VALUE);
        KafkaWorld world = new KafkaWorld(broker, folder);
        world.produce(view, events);
        // 30 seconds a second: in 2 s of silence the clock has passed every window.
        ClockSpec fast = new ClockSpec(System.currentTimeMillis(), CityEvents.START_MS + 2 * 3_600_000L, 30);

        JobClient job = world.start(2, null, world.job("silent", List.of(view), fast, false));
        long passedMs = CityEvents.START_MS + 2 * 3_600_000L;
        KafkaWorld.Rows rows = world.rows(view, passedMs, false);
        assertThat(rows.lines).as("nothing but silence followed the events").isEqualTo(everything);

        long newest = events.get(0).stream().mapToLong(KafkaWorld::timeMs).max().orElseThrow();
        String counted = events.get(0).stream()
                .filter(event -> !event.contains("cancel"))
                .findFirst()
                .orElseThrow();
        String behind = counted.replaceAll("\"ts\":\\d+", "\"ts\":" + (newest + 1));
        world.produce(view, all(List.of(behind)));
        assertThat(world.deadLetters(view, 1))
                .singleElement()
                .asString()
                .contains("\"reason\":\"late_idle\"", "\"raw\":\"" + behind.replace("\"", "\\\"") + "\"");
        job.cancel().get();
        assertThat(world.rows(view, passedMs, false).lines).isEqualTo(everything);
    }

    @Test
    void silence_ofOnePartition_doesNotHoldTheOthersRows() throws Exception {
        FeatureView view = CityEvents.view("demand", "half-silent", "2s", "json", "at_least_once");
        KafkaWorld.createTopics(broker, view, 2);
        List<List<String>> events = all(CityEvents.events(4, 800, 48.86, 2.35));
        events.get(0).add(KafkaWorld.marker(MARKER_MS));
        KafkaWorld world = new KafkaWorld(broker, folder);
        world.produce(view, events);
        // The clock is a day behind: if rows leave, then by the clock of the partition that speaks.
        ClockSpec behind = new ClockSpec(System.currentTimeMillis(), CityEvents.START_MS - DAY_MS, 1);

        JobClient job = world.start(1, null, world.job("half-silent", List.of(view), behind, false));
        AtomicBoolean speaking = new AtomicBoolean(true);
        Thread speaker = new Thread(() -> speak(world, view, speaking), "speaker");
        speaker.start();
        KafkaWorld.Rows rows = world.rows(view, MARKER_MS - 60_000, false);
        speaking.set(false);
        speaker.join();
        job.cancel().get();
        assertThat(rows.lines)
                .isEqualTo(NaiveRows.ofPartitions(view, events).upTo(MARKER_MS - 60_000))
                .isNotEmpty();
    }

    /** The first partition goes on saying that time has come to the marker; the second says nothing. */
    private static void speak(KafkaWorld world, FeatureView view, AtomicBoolean speaking) {
        while (speaking.get()) {
            world.produce(view, List.of(List.of(KafkaWorld.marker(MARKER_MS)), List.of()));
            LockSupport.parkNanos(300_000_000);
        }
    }
}
