package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The environment in which all systems are measured: a folder, a broker and a store's server in their own processes, topics, and
 * the views' definitions. Closing it removes everything.
 *
 * @param views which differ only in their names and topics
 * @param atExit removes everything, too
 */
record TestBed(Path folder, Setup setup, List<FeatureView> views, Broker broker, StoreServer store, Thread atExit)
        implements AutoCloseable {
    static final String EVENTS = "rider-events";
    static final String ROWS = "demand-features";
    static final int PARTITIONS = 4;
    private static final String VIEWS = "demand.yaml";
    private static final System.Logger LOG = System.getLogger("thalweg.bench");

    /** Starts the broker and the server of the store, and writes the views' definitions. */
    static TestBed start(Setup setup) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-bench");
        String yaml = definitions(setup);
        Files.writeString(folder.resolve(VIEWS), yaml);
        List<FeatureView> views = Definitions.parse(yaml, VIEWS).views();
        // Also after Ctrl-C: nothing else ends the processes, and the events of minutes take gigabytes.
        Thread atExit = new Thread(() -> abandon(folder));
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            Broker broker = Broker.start(folder);
            return new TestBed(folder, setup, views, broker, StoreServer.start(setup.store(), folder), atExit);
        } catch (IOException | InterruptedException | RuntimeException e) {
            Runtime.getRuntime().removeShutdownHook(atExit);
            abandon(folder);
            throw e;
        }
    }

    /** Returns the views' definitions: the first one's name and topic are those of the file, the others' end with a number. */
    static String definitions(Setup setup) throws IOException {
        String yaml;
        try (InputStream in = TestBed.class.getResourceAsStream(VIEWS)) {
            yaml = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
        String first = shorten("sizes", setup.windows(), shorten("rings", setup.rings(), yaml))
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
    private static String shorten(String key, int elements, String yaml) {
        Matcher list = Pattern.compile(key + ": \\[([^\\]]*)\\]").matcher(yaml);
        if (!list.find()) {
            throw new IllegalStateException(VIEWS + " has no " + key);
        }
        List<String> values = List.of(list.group(1).split(", ", -1));
        return list.replaceFirst("%s: [%s]".formatted(key, String.join(", ", values.subList(0, elements))));
    }

    /**
     * Creates a topic of {@link #PARTITIONS} partitions.
     *
     * @param retentionBytes of all partitions together, on disk
     */
    void createTopic(String name, long retentionBytes) throws InterruptedException {
        long perPartition = retentionBytes / PARTITIONS;
        Map<String, String> config = Map.of(
                "retention.bytes", Long.toString(perPartition),
                "segment.bytes", Long.toString(Math.max(1 << 20, Math.min(perPartition / 8, 1 << 29))),
                "max.message.bytes", Integer.toString(8 << 20));
        Broker.createTopic(bootstrap(), name, PARTITIONS, config);
    }

    String bootstrap() {
        return broker.bootstrap();
    }

    /** The view whose rows are compared both in their topic and in the store; those of the others are compared only in the store. */
    FeatureView view() {
        return views.get(0);
    }

    /** The file of the views' definitions. */
    Path definitionsFile() {
        return folder.resolve(VIEWS);
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        broker.close();
        try {
            store.close();
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.WARNING, "the store does not close: {0}", e.getMessage());
        }
        delete(folder);
    }

    private static void abandon(Path folder) {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        delete(folder);
    }

    private static void delete(Path folder) {
        try {
            Folders.delete(folder);
        } catch (IOException | UncheckedIOException e) {
            LOG.log(Level.WARNING, "{0} is left behind", folder);
        }
    }
}
