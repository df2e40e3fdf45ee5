package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.TopicWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A Kafka broker in its own process with all events of a load, which are written before any system reads:
 * {@code thalweg bench advertising --input kafka}. Closing it deletes its data.
 */
public final class DrainRun implements AutoCloseable {
    /** The systems that drain the events. */
    public static final List<String> SYSTEMS = List.of("thalweg", "flink", FlinkCounts.COMBINED);

    private static final Child.Program PROGRAM =
            Child.Program.of(DrainContestant.class, "-Xmx4g", "-XX:-UseDynamicNumberOfCompilerThreads");
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
        return processes.run(system, PROGRAM, new DrainContestant(system, parallelism, warmUp, events, seconds));
    }

    @Override
    public void close() throws IOException {
        broker.close();
        Folders.delete(folder);
    }

    /**
     * A topic with all events of a load, followed in each partition by one event that advances event time.
     *
     * @param events the number of events of {@code campaigns} campaigns
     */
    record AdTopic(String bootstrap, String name, int partitions, int campaigns, long events) {
        /** Further beyond the last window than any system lets events be late. */
        private static final long BEYOND_MS = 60_000;

        private static final long SAY_EVENTS = 1_000_000;

        /** Creates the topic and sends the events; {@code sent} receives the number sent from time to time. */
        public void produce(LongConsumer sent) throws IOException, InterruptedException {
            Broker.createTopic(bootstrap, name, partitions, Map.of());
            AdLoad load = load();
            AdJson json = new AdJson(load);
            try (TopicWriter topic = new TopicWriter(bootstrap, name)) {
                for (long event = 0; event < events; event++) {
                    topic.send((int) (event % partitions), load.timeMs(event), null, json.event(event));
                    if (event % SAY_EVENTS == 0) {
                        sent.accept(event);
                    }
                }
                long beyondMs = AdLoad.lastWindowEndMs() + BEYOND_MS;
                for (int partition = 0; partition < partitions; partition++) {
                    topic.send(partition, beyondMs, null, json.last(beyondMs));
                }
            }
        }

        /** Returns the load in the topic. */
        AdLoad load() {
            return AdLoad.of(campaigns, events);
        }
    }
}
