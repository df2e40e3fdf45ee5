package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Score;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A Kafka broker in its own process with all events of a load, which are written before any system reads:
 * {@code thalweg bench advertising --input kafka}. Closing it deletes its data.
 */
public final class DrainRun implements AutoCloseable {
    /** The systems that drain the events. */
    public static final List<String> SYSTEMS = List.of("thalweg", "flink", FlinkCounts.COMBINED);

    private static final List<String> OPTIONS = List.of("-Xmx4g", "-XX:-UseDynamicNumberOfCompilerThreads");
    private static final long EVENTS_PER_SECOND = 1_500_000;
    /** The warm-up has one in this many events. */
    private static final int WARM_UP_SHARE = 10;

    private static final int DISK_BYTES_PER_EVENT = 240;

    private final int parallelism;
    private final int seconds;
    private final Processes processes;
    private final Path folder = Files.createTempDirectory("thalweg-kafka-");
    private final Broker broker;
    private final AdTopic warmUp;
    private final AdTopic events;

    /** Starts the broker and fills its topics with events for about {@code seconds} seconds. */
    public DrainRun(int campaigns, int parallelism, int seconds, Processes processes)
            throws IOException, InterruptedException {
        this.parallelism = parallelism;
        this.seconds = seconds;
        this.processes = processes;
        long count = seconds * EVENTS_PER_SECOND;
        Folders.requireRoom(count * DISK_BYTES_PER_EVENT, "--input kafka", " for its events", "lower --seconds, or ");
        broker = Broker.start(folder);
        warmUp = new AdTopic(broker.bootstrap(), "warm-up", parallelism, campaigns, count / WARM_UP_SHARE);
        events = new AdTopic(broker.bootstrap(), "ad-events", parallelism, campaigns, count);
        warmUp.produce(sent -> {});
        events.produce(sent -> processes.progress().show("events sent: %,d of %,d".formatted(sent, count)));
    }

    /** Lets a system drain the events. */
    public Score measure(String system) throws IOException, InterruptedException {
        return processes.run(
                new Processes.Entry(system, OPTIONS, DrainContestant.class),
                new DrainContestant(system, parallelism, warmUp, events, seconds));
    }

    @Override
    public void close() throws IOException {
        broker.close();
        Folders.delete(folder);
    }
}
