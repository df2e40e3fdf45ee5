package io.thalweg.bench;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.ingest.CommitLatency;
import io.thalweg.bench.ingest.DataFiles;
import io.thalweg.bench.ingest.IngestContestant;
import io.thalweg.bench.ingest.IngestOrder;
import io.thalweg.bench.ingest.IngestVariant;
import io.thalweg.bench.ingest.RideMessages;
import io.thalweg.bench.ingest.RideMessages.Written;
import io.thalweg.bench.ingest.RideTopic;
import io.thalweg.bench.ingest.RideWarehouse;
import io.thalweg.bench.ingest.TableDigest;
import io.thalweg.bench.ingest.TopicDigest;
import io.thalweg.bench.suite.Clone;
import io.thalweg.google.bigquery.BigQueryColumns;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One variant of {@code thalweg bench ingest}: the messages, in files or in a broker in a process of its own, written before anybody
 * reads, and the systems that write them to tables. All of it is deleted when it is closed.
 */
final class IngestRun implements AutoCloseable {
    private static final List<String> OPTIONS = List.of(
            "-Xmx4g",
            "-XX:-UseDynamicNumberOfCompilerThreads",
            "-Djdk.attach.allowAttachSelf=true",
            "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
            "--add-opens=java.base/java.time=ALL-UNNAMED");
    private static final String INPUT = "rides";
    private static final String WARM_UP = "warm-up";
    /** Of the messages, for the warm-up. */
    private static final int WARM_UP_SHARE = 10;
    /** Messages, once in files or the broker and once in the table. */
    private static final int DISK_BYTES_PER_EVENT = 2_500;

    /** From the first message on, until a job runs. */
    private static final long START_MS = 10_000;

    private final Load load;
    private final Processes processes;
    private final Path folder;
    private final RideMessages messages;
    private @Nullable Broker broker;
    private String bootstrap = "";
    private @Nullable RideWarehouse warehouse;
    private int tables;
    private int followed;
    private Written small = new Written(0, 0);
    private Written written = new Written(0, 0);
    private @Nullable TableDigest expected;

    /**
     * What is measured.
     *
     * @param count messages
     * @param parallelism of the jobs, and partitions of the topic
     * @param warmUpSeconds for each system, at most
     * @param stages whether to profile each system's stages, in one more pass
     * @param rate messages a second that are sent while a system reads them; 0 = all are there before
     */
    record Load(
            IngestVariant variant,
            long count,
            long seed,
            int parallelism,
            int warmUpSeconds,
            boolean stages,
            double rate) {
        /** Whether the messages are in a full topic or a file. */
        boolean isDrain() {
            return rate == 0;
        }

        /** Whether messages, and so the rows of each system, have the time at which they were made. */
        boolean isTimed() {
            return !isDrain() && variant.intoBigQuery();
        }
    }

    private IngestRun(Load load, Processes processes, Path folder) throws IOException {
        this.load = load;
        this.processes = processes;
        this.folder = folder;
        messages = RideMessages.in(folder, load.variant(), load.isTimed());
    }

    /** Writes the messages. */
    static IngestRun start(Load load, Processes processes)
            throws IOException, InterruptedException, ExecutionException {
        Path folder = Files.createTempDirectory("thalweg-ingest-");
        Folders.requireRoom(load.count() * DISK_BYTES_PER_EVENT, "--count " + load.count(), "", "lower --count, or ");
        IngestRun run = new IngestRun(load, processes, folder);
        try {
            processes
                    .progress()
                    .say("%s: making %,d messages".formatted(load.variant().text(), load.count()));
            run.prepare();
            return run;
        } catch (IOException | InterruptedException | ExecutionException | RuntimeException e) {
            run.close();
            throw e;
        }
    }

    private void prepare() throws IOException, InterruptedException, ExecutionException {
        long few = Math.max(1, load.count() / WARM_UP_SHARE);
        if (load.variant().intoBigQuery()) {
            warehouse = RideWarehouse.start(
                    folder, BigQueryColumns.of(messages.any().table()), START_MS);
        }
        if (load.variant().fromTopic()) {
            Broker started = Broker.start(folder);
            broker = started;
            bootstrap = started.bootstrap();
            small = send(WARM_UP, few, load.seed() + 1);
            if (load.isDrain()) {
                written = send(INPUT, load.count(), load.seed());
            }
        } else {
            small = messages.writeFile(WARM_UP, few, load.seed() + 1);
            written = messages.writeFile(INPUT, load.count(), load.seed());
        }
    }

    private Written send(String topic, long count, long seed)
            throws IOException, ExecutionException, InterruptedException {
        Broker.createTopic(bootstrap, topic, load.parallelism(), Map.of());
        return messages.send(
                RideTopic.open(bootstrap, topic, sentMs -> {}),
                count,
                seed,
                sent -> processes.progress().show("%s: %,d of %,d messages".formatted(topic, sent, count)));
    }

    /** Has a system write the table; the difference names what is wrong with it. */
    Score measure(String system) throws IOException, InterruptedException, ExecutionException {
        if (load.variant().intoTopic()) {
            return measureTopic(system);
        }
        return warehouse == null ? measureFiles(system) : measure(system, warehouse);
    }

    /** Each system writes to a topic of its own. */
    private Score measureTopic(String system) throws IOException, InterruptedException, ExecutionException {
        Path table = folder.resolve("rows-" + tables++);
        Map<String, Number> took = drain(system, table);
        return result(took, TopicDigest.of(bootstrap, IngestOrder.topic(table), folder), Map.of());
    }

    private Score measureFiles(String system) throws IOException, InterruptedException, ExecutionException {
        Path own = Files.createTempDirectory(folder, "table-");
        Path table = own.resolve("out");
        try {
            if (load.isDrain()) {
                Map<String, Number> took = drain(system, table);
                return result(took, digest(table), Map.of());
            }
            long[] sentMs = new long[Math.toIntExact(load.count())];
            Map<String, Number> took = follow(system, table, sentMs);
            return result(took, digest(table), CommitLatency.of(sentMs, DataFiles.commits(table), START_MS));
        } finally {
            Folders.delete(own);
        }
    }

    private TableDigest digest(Path table) throws IOException {
        return TableDigest.of(DataFiles.of(load.variant(), table));
    }

    /** Each system writes to a table of its own. */
    private Score measure(String system, RideWarehouse into)
            throws IOException, InterruptedException, ExecutionException {
        String name = "rides_" + tables++;
        into.create(name, load.isTimed());
        Path table = folder.resolve(name);
        Map<String, Number> took =
                load.isDrain() ? drain(system, table) : follow(system, table, new long[Math.toIntExact(load.count())]);
        RideWarehouse.Report report = into.report(name);
        return result(took, report.digest(), report.latency());
    }

    private Map<String, Number> drain(String system, Path table) throws IOException, InterruptedException {
        return processes
                .run(entry(system), in -> order(system, in, input(INPUT), table))
                .figures();
    }

    /** Sends the messages once the system is compiled and reads. */
    private Map<String, Number> follow(String system, Path table, long[] sentMs)
            throws IOException, InterruptedException, ExecutionException {
        String topic = INPUT + "-" + followed++;
        Broker.createTopic(bootstrap, topic, 1, Map.of());
        AtomicInteger sent = new AtomicInteger();
        CompletableFuture<Written> sending = new CompletableFuture<>();
        Thread sender = new Thread(() -> {
            try {
                sending.complete(messages.send(
                        RideTopic.open(bootstrap, topic, nowMs -> sentMs[sent.getAndIncrement()] = nowMs),
                        load.count(),
                        load.seed(),
                        load.rate()));
            } catch (IOException | InterruptedException | RuntimeException e) {
                sending.completeExceptionally(e);
            }
        });
        sender.setDaemon(true);
        Score took = processes.run(entry(system), in -> order(system, in, topic, table), heard -> {
            if (heard.equals(IngestContestant.FOLLOWING)) {
                sender.start();
            }
        });
        written = sending.get();
        return took.figures();
    }

    private static Processes.Entry entry(String system) throws IOException {
        return new Processes.Entry(system, OPTIONS, classPath(system), IngestContestant.class);
    }

    private List<String> order(String system, Path in, String input, Path table) {
        return Orders.arguments(new IngestOrder(
                system,
                load.variant(),
                in,
                folder,
                bootstrap,
                warehouse == null ? "" : warehouse.endpoint(),
                input(WARM_UP),
                input,
                table,
                load.parallelism(),
                load.warmUpSeconds(),
                load.stages(),
                load.isDrain() ? 0 : load.count()));
    }

    private Score result(Map<String, Number> took, TableDigest digest, Map<String, Long> latency) {
        LinkedHashMap<String, Number> figures = new LinkedHashMap<>(figures(took, digest));
        figures.putAll(latency);
        return new Score(figures, difference(digest));
    }

    private String input(String name) {
        return load.variant().fromTopic() ? name : messages.file(name).toString();
    }

    private Map<String, Number> figures(Map<String, Number> took, TableDigest table) {
        double cpu = Objects.requireNonNull(took.get("cpu_seconds")).doubleValue();
        double seconds = Objects.requireNonNull(took.get("seconds")).doubleValue();
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("events", written.messages());
        figures.put("bytes_in", written.bytes());
        figures.put("bytes_out", table.bytes());
        if (table.files() > 0) {
            figures.put("files", (long) table.files());
        }
        figures.put("mb_per_cpu_second", rounded(written.bytes() / 1e6 / cpu));
        double smallCpu = Objects.requireNonNull(took.get("small_cpu_seconds")).doubleValue();
        if (load.isDrain() && cpu > smallCpu) {
            figures.put(
                    "marginal_mb_per_cpu_second", rounded((written.bytes() - small.bytes()) / 1e6 / (cpu - smallCpu)));
        }
        double compilers =
                Objects.requireNonNull(took.get("compilers_cpu_seconds")).doubleValue();
        figures.put("compiled_mb_per_cpu_second", rounded(written.bytes() / 1e6 / (cpu - compilers)));
        figures.put("events_per_cpu_second", Math.rint(written.messages() / cpu));
        figures.put("cpu_seconds_per_gb", rounded(cpu / (written.bytes() / 1e9)));
        figures.put("mb_per_second", rounded(written.bytes() / 1e6 / seconds));
        figures.put("events_per_second", Math.rint(written.messages() / seconds));
        double allocated = Objects.requireNonNull(took.get("allocated_bytes")).doubleValue();
        figures.put("allocated_bytes_per_event", Math.rint(allocated / written.messages()));
        figures.putAll(took);
        return figures;
    }

    private static double rounded(double value) {
        return Math.rint(value * 1e3) / 1e3;
    }

    /** The first table that has as many rows as there are messages is what the others must equal. */
    private String difference(TableDigest table) {
        if (table.rows() != written.messages()) {
            return "%,d rows instead of %,d".formatted(table.rows(), written.messages());
        }
        if (load.isTimed()) {
            return ""; // the rows of each system have times of their own
        }
        if (expected == null) {
            expected = table;
        }
        return table.hasRowsOf(expected) ? "" : "as many rows as the system before, but other values";
    }

    /** What a rival is made of stands before our own: the same libraries in other versions. */
    private static String classPath(String system) throws IOException {
        String own = System.getProperty("java.class.path");
        if (system.startsWith("thalweg")) {
            return own;
        }
        Path jars = Clone.launcher().resolveSibling(Path.of("bench", "target", "ingest-rivals"));
        try (Stream<Path> files = Files.list(jars)) {
            List<String> path =
                    new ArrayList<>(files.map(Path::toString).sorted().toList());
            Stream.of(own.split(File.pathSeparator, -1))
                    .filter(jar -> !Path.of(jar).getFileName().toString().startsWith("iceberg-"))
                    .forEach(path::add);
            return String.join(File.pathSeparator, path);
        }
    }

    @Override
    public void close() throws IOException {
        if (broker != null) {
            broker.close();
        }
        if (warehouse != null) {
            warehouse.close();
        }
        Folders.delete(folder);
    }
}
