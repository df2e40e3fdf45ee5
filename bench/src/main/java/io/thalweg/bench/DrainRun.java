package io.thalweg.bench;

import io.thalweg.bench.advertising.AdTopic;
import io.thalweg.bench.advertising.ContestantOutput;
import io.thalweg.bench.advertising.DrainContestant;
import io.thalweg.bench.demand.Broker;
import io.thalweg.bench.demand.Child;
import io.thalweg.bench.demand.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A Kafka broker in a process of its own with all events of a load, made before anybody reads: {@code thalweg bench advertising
 * --input kafka}. Its data is deleted when it is closed.
 */
final class DrainRun implements AutoCloseable {
    static final List<String> SYSTEMS = List.of("thalweg", "flink");

    private static final List<String> HEAP = List.of("-Xmx4g");
    private static final long EVENTS_PER_SECOND = 1_500_000;
    /** Of the events, for the warm-up. */
    private static final int WARM_UP_SHARE = 10;

    private static final int DISK_BYTES_PER_EVENT = 240;
    private static final int PATIENCE_SECONDS = 60;

    private final int campaigns;
    private final int parallelism;
    private final int seconds;
    private final Contest contest;
    private final Path folder;
    private final Child broker;
    private final AdTopic warmUp;
    private final AdTopic events;

    private DrainRun(
            int campaigns,
            int parallelism,
            int seconds,
            Contest contest,
            Path folder,
            Child broker,
            AdTopic warmUp,
            AdTopic events) {
        this.campaigns = campaigns;
        this.parallelism = parallelism;
        this.seconds = seconds;
        this.contest = contest;
        this.folder = folder;
        this.broker = broker;
        this.warmUp = warmUp;
        this.events = events;
    }

    /** Starts the broker and fills its topics with events for about so many seconds. */
    static DrainRun start(int campaigns, int parallelism, int seconds, Contest contest)
            throws IOException, InterruptedException, ExecutionException {
        long count = seconds * EVENTS_PER_SECOND;
        Path folder = Files.createTempDirectory("thalweg-kafka-");
        requireRoom(folder, count);
        CompletableFuture<String> bootstrap = new CompletableFuture<>();
        Child broker = Child.java(
                "broker",
                folder,
                List.of("-Xmx1g", "-XX:+UseSerialGC"),
                Broker.class,
                List.of(folder.resolve("kafka").toString()),
                line -> {
                    if (line.startsWith("bootstrap ")) {
                        bootstrap.complete(line.substring("bootstrap ".length()));
                    }
                });
        try {
            String at = bootstrap.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            AdTopic warmUp = new AdTopic(at, "warm-up", parallelism, campaigns, count / WARM_UP_SHARE);
            AdTopic events = new AdTopic(at, "ad-events", parallelism, campaigns, count);
            warmUp.produce(sent -> {});
            events.produce(sent -> contest.progress().show("events sent: %,d of %,d".formatted(sent, count)));
            return new DrainRun(campaigns, parallelism, seconds, contest, folder, broker, warmUp, events);
        } catch (TimeoutException e) {
            broker.close();
            throw new IllegalStateException("the Kafka broker did not start: " + broker.said(), e);
        }
    }

    private static void requireRoom(Path folder, long count) throws IOException {
        long disk = Files.getFileStore(folder).getUsableSpace();
        long needed = count * DISK_BYTES_PER_EVENT;
        if (needed > disk) {
            throw new IllegalArgumentException(
                    "--input kafka needs %.1f GB of disk for its events, %s has %.1f GB; lower --seconds, or name another folder with THALWEG_JAVA_OPTS=-Djava.io.tmpdir=FOLDER"
                            .formatted(needed / 1e9, folder.getParent(), disk / 1e9));
        }
    }

    /** Has a system drain the events. */
    ContestantOutput.Result measure(String system) throws IOException, InterruptedException {
        return contest.run(
                new Contest.Entry(system, HEAP, DrainContestant.class),
                in -> List.of(
                        system,
                        events.bootstrap(),
                        in.toString(),
                        String.valueOf(parallelism),
                        String.valueOf(campaigns),
                        warmUp.name(),
                        String.valueOf(warmUp.events()),
                        events.name(),
                        String.valueOf(events.events()),
                        String.valueOf(seconds)));
    }

    @Override
    public void close() throws IOException {
        broker.close();
        Folders.delete(folder);
    }
}
