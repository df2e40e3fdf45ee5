package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Folders;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What all systems are measured in: a folder, a broker in a process of its own, topics, and the view's definition. Everything
 * is gone when it is closed.
 */
final class TestBed implements AutoCloseable {
    static final String EVENTS = "rider-events";
    static final String ROWS = "demand-features";
    static final int PARTITIONS = 4;

    private final Path folder;
    private final Broker broker;
    private final FeatureView view;
    private final Thread atExit = new Thread(this::abandon);

    private TestBed(Path folder, Broker broker, FeatureView view) {
        this.folder = folder;
        this.broker = broker;
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
        Broker broker = Broker.start(folder);
        String yaml = definition().replace("DELIVERY", delivery);
        Files.writeString(folder.resolve("demand.yaml"), yaml);
        return new TestBed(
                folder, broker, Definitions.parse(yaml, "demand.yaml").views().get(0));
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
        Broker.createTopic(bootstrap(), name, PARTITIONS, config);
    }

    Path folder() {
        return folder;
    }

    Child broker() {
        return broker.process();
    }

    String bootstrap() {
        return broker.bootstrap();
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
