package io.thalweg.bench.demand;

import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * What all systems are measured in: a folder, a broker in a process of its own, topics, and the view's definition. Everything
 * is gone when it is closed.
 */
final class TestBed implements AutoCloseable {
    static final String EVENTS = "rider-events";
    static final String ROWS = "demand-features";
    static final int PARTITIONS = 4;

    private static final long START_SECONDS = 60;

    private final Path folder;
    private final Child broker;
    private final String bootstrap;
    private final FeatureView view;
    private final Thread atExit = new Thread(this::abandon);

    private TestBed(Path folder, Child broker, String bootstrap, FeatureView view) {
        this.folder = folder;
        this.broker = broker;
        this.bootstrap = bootstrap;
        this.view = view;
        // Also after Ctrl-C: nothing else ends the processes, and events of minutes are gigabytes.
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * Starts the broker.
     *
     * @param delivery of the view's rows: {@code at_least_once} or {@code exactly_once}
     */
    static TestBed start(String delivery) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-bench");
        CompletableFuture<String> bootstrap = new CompletableFuture<>();
        Child broker = Child.java(
                "broker",
                folder,
                List.of("-Xmx1g", "-XX:+UseParallelGC"),
                Broker.class,
                List.of(folder.resolve("kafka").toString()),
                line -> {
                    if (line.startsWith("bootstrap ")) {
                        bootstrap.complete(line.substring("bootstrap ".length()));
                    }
                });
        try {
            String address = bootstrap.get(START_SECONDS, TimeUnit.SECONDS);
            String yaml = definition().replace("DELIVERY", delivery);
            Files.writeString(folder.resolve("demand.yaml"), yaml);
            FeatureView view = Definitions.parse(yaml, "demand.yaml").views().get(0);
            return new TestBed(folder, broker, address, view);
        } catch (ExecutionException | TimeoutException e) {
            broker.requireAlive();
            throw new IllegalStateException("the broker did not start within " + START_SECONDS + " s", e);
        }
    }

    /** The view's definition, with {@code DELIVERY} where that is to be said. */
    static String definition() throws IOException {
        try (InputStream in = TestBed.class.getResourceAsStream("demand.yaml")) {
            return new String(java.util.Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Makes a topic of {@link #PARTITIONS} partitions.
     *
     * @param retentionBytes what all partitions together keep, as it lies on disk
     */
    void createTopic(String name, long retentionBytes) throws InterruptedException {
        long perPartition = retentionBytes / PARTITIONS;
        Map<String, String> config = Map.of(
                "retention.bytes", Long.toString(perPartition),
                "segment.bytes", Long.toString(Math.max(1 << 20, Math.min(perPartition / 8, 1 << 29))),
                "max.message.bytes", Integer.toString(8 << 20));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(name, Optional.of(PARTITIONS), Optional.empty()).configs(config)))
                    .all()
                    .get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("topic " + name + " was not created: " + e.getMessage(), e);
        }
    }

    Path folder() {
        return folder;
    }

    Child broker() {
        return broker;
    }

    String bootstrap() {
        return bootstrap;
    }

    FeatureView view() {
        return view;
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        deleteAll();
    }

    private void abandon() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        deleteAll();
    }

    private void deleteAll() {
        broker.close();
        try {
            Folders.delete(folder);
        } catch (IOException | UncheckedIOException e) {
            System.getLogger("thalweg.bench").log(System.Logger.Level.WARNING, "{0} is left behind", folder);
        }
    }
}
