package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.stores.StoreServer;
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
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What all systems are measured in: a folder, a broker and a store's server in processes of their own, topics, and the views' definitions.
 * Everything is gone when it is closed.
 */
final class TestBed implements AutoCloseable {
    static final String EVENTS = "rider-events";
    static final String ROWS = "demand-features";
    static final int PARTITIONS = 4;
    private static final String VIEWS = "demand.yaml";

    private final Path folder;
    private final Broker broker;
    private final FeatureView view;
    private final Setup setup;
    private final StoreServer store;
    private final Thread atExit = new Thread(this::abandon);

    private TestBed(Path folder, Broker broker, FeatureView view, Setup setup, StoreServer store) {
        this.folder = folder;
        this.broker = broker;
        this.view = view;
        this.setup = setup;
        this.store = store;
        // Also after Ctrl-C: nothing else ends the processes, and events of minutes are gigabytes.
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Starts the broker and the server of the store, and writes the views' definitions. */
    static TestBed start(Setup setup) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-bench");
        String yaml = definitions(setup);
        Files.writeString(folder.resolve(VIEWS), yaml);
        FeatureView view = Definitions.parse(yaml, VIEWS).views().get(0);
        Broker broker = Broker.start(folder);
        try {
            return new TestBed(folder, broker, view, setup, StoreServer.start(setup.store(), folder));
        } catch (IOException | InterruptedException | RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    /** The views' definitions: the first one's name and topic are those of the file, the others' end with a number. */
    static String definitions(Setup setup) throws IOException {
        String yaml;
        try (InputStream in = TestBed.class.getResourceAsStream(VIEWS)) {
            yaml = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
        String first = first("sizes", setup.windows(), first("rings", setup.rings(), yaml))
                .replace("DELIVERY", setup.delivery());
        StringBuilder all = new StringBuilder(first);
        for (int view = 2; view <= setup.views(); view++) {
            all.append("---\n")
                    .append(first.replace("name: demand\n", "name: demand_%d\n".formatted(view))
                            .replace("topic: " + ROWS, "topic: %s-%d".formatted(ROWS, view)));
        }
        return all.toString();
    }

    /** Shortens a list of the definition to its first elements. */
    private static String first(String key, int elements, String yaml) {
        Matcher list = Pattern.compile(key + ": \\[([^\\]]*)\\]").matcher(yaml);
        if (!list.find()) {
            throw new IllegalStateException(VIEWS + " has no " + key);
        }
        List<String> values = List.of(list.group(1).split(", ", -1));
        return list.replaceFirst("%s: [%s]".formatted(key, String.join(", ", values.subList(0, elements))));
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

    /** The view whose rows are compared. */
    FeatureView view() {
        return view;
    }

    Setup setup() {
        return setup;
    }

    /** Where the views' definitions are. */
    Path views() {
        return folder.resolve(VIEWS);
    }

    StoreServer store() {
        return store;
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
            store.close();
            Folders.delete(folder);
        } catch (IOException | UncheckedIOException e) {
            System.getLogger("thalweg.bench").log(System.Logger.Level.WARNING, "{0} is left behind", folder);
        }
    }
}
