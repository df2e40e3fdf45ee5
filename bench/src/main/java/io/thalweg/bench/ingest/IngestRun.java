package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.ingest.Ingester.IngestOrder;
import io.thalweg.bench.ingest.RideMessages.RideTopic;
import io.thalweg.bench.ingest.RideMessages.Written;
import io.thalweg.bench.ingest.TableDigest.DataFiles;
import io.thalweg.google.bigquery.BigQueryColumns;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One variant of {@code thalweg bench ingest}: the messages, which are written to files or to a broker in its own process before
 * any system reads, and the systems that write them to tables. Closing it deletes everything.
 */
public final class IngestRun implements AutoCloseable {
    private static final List<String> OPTIONS = List.of(
            "-Xmx4g",
            "-XX:-UseDynamicNumberOfCompilerThreads",
            "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
            "--add-opens=java.base/java.time=ALL-UNNAMED");
    private static final String INPUT = "rides";
    private static final String WARM_UP = "warm-up";
    /** The warm-up has one in this many messages. */
    private static final int WARM_UP_SHARE = 10;
    /** A message is stored twice: in files or the broker, and in the table. */
    private static final int DISK_BYTES_PER_EVENT = 2_500;
    /** The time from the first message until a job runs. */
    private static final long START_MS = 10_000;

    private final Load load;
    private final Processes processes;
    private final Path folder;
    private final RideMessages messages;
    private final @Nullable Broker broker;
    private final @Nullable RideWarehouse warehouse;
    private final String service;
    private int outputs;
    private Written small = new Written(0, 0);
    private Written written = new Written(0, 0);
    private @Nullable TableDigest expected;

    /**
     * The measured load.
     *
     * @param count messages
     * @param parallelism of the jobs, and partitions of the topic
     * @param warmUpSeconds for each system, at most
     * @param rate messages a second that are sent while a system reads them; 0 = all messages are there before
     */
    public record Load(IngestVariant variant, long count, long seed, int parallelism, int warmUpSeconds, double rate) {
        /** Whether the messages are in a full topic or a file; otherwise messages and rows carry the time at which they were made. */
        boolean isDrain() {
            return rate == 0;
        }
    }

    /** Starts the processes that the systems need. */
    private IngestRun(Load load, Processes processes, Path folder) throws IOException, InterruptedException {
        this.load = load;
        this.processes = processes;
        this.folder = folder;
        messages = RideMessages.in(folder, load.variant(), !load.isDrain());
        warehouse = load.variant().intoBigQuery()
                ? RideWarehouse.start(
                        processes.progress(), BigQueryColumns.of(messages.any().table()), START_MS)
                : null;
        service = warehouse == null ? "" : warehouse.create(RideWarehouse.WARM_UP, false);
        broker = load.variant().fromTopic ? Broker.start(folder) : null;
    }

    /** Writes the messages. */
    public static IngestRun start(Load load, Processes processes) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-ingest-");
        Folders.requireRoom(load.count() * DISK_BYTES_PER_EVENT, "--count " + load.count(), "", "lower --count, or ");
        IngestRun run = new IngestRun(load, processes, folder);
        try {
            processes
                    .progress()
                    .say("%s: making %,d messages".formatted(load.variant().text(), load.count()));
            run.small = run.write(WARM_UP, Math.max(1, load.count() / WARM_UP_SHARE), load.seed() + 1);
            run.written = load.isDrain() ? run.write(INPUT, load.count(), load.seed()) : run.written;
            return run;
        } catch (IOException | InterruptedException | RuntimeException e) {
            run.close();
            throw e;
        }
    }

    private Written write(String name, long count, long seed) throws IOException, InterruptedException {
        if (broker == null) {
            return messages.writeFile(name, count, seed);
        }
        Broker.createTopic(broker.bootstrap(), name, load.parallelism(), Map.of());
        return messages.send(
                new RideTopic(broker.bootstrap(), name),
                count,
                seed,
                sent -> processes.progress().show("%s: %,d of %,d messages".formatted(name, sent, count)));
    }

    private String bootstrap() {
        return broker == null ? "" : broker.bootstrap();
    }

    /** Lets a system write its own table; the difference names what is wrong with it. */
    public Score measure(String system) throws IOException, InterruptedException, ExecutionException {
        String name = INPUT + "_" + outputs++;
        Path output = folder.resolve(name);
        if (warehouse != null) {
            String unused = warehouse.create(name, !load.isDrain());
            Map<String, Number> took = load.isDrain() ? drain(system, output) : follow(system, output);
            RideWarehouse.Report report = warehouse.report(name);
            return score(took, report.digest(), report.latency());
        }
        Map<String, Number> took = drain(system, output);
        try {
            return score(took, TableDigest.of(DataFiles.of(load.variant(), output)), Map.of());
        } finally {
            Folders.delete(output);
        }
    }

    private Map<String, Number> drain(String system, Path output) throws IOException, InterruptedException {
        return processes
                .run(system, program(system), order(system, input(INPUT), output))
                .figures();
    }

    /** Sends the messages once the system is compiled and reads. */
    private Map<String, Number> follow(String system, Path output)
            throws IOException, InterruptedException, ExecutionException {
        String topic = output.getFileName().toString();
        Broker.createTopic(bootstrap(), topic, 1, Map.of());
        FutureTask<Written> sending = new FutureTask<>(
                () -> messages.send(new RideTopic(bootstrap(), topic), load.count(), load.seed(), load.rate()));
        Thread sender = new Thread(sending);
        sender.setDaemon(true);
        Score took = processes.run(system, program(system), order(system, topic, output), heard -> {
            if (heard.equals(IngestContestant.FOLLOWING)) {
                sender.start();
            }
        });
        written = sending.get();
        return took.figures();
    }

    private static Child.Program program(String system) throws IOException {
        return new Child.Program(List.of(), OPTIONS, classPath(system), IngestContestant.class);
    }

    private IngestOrder order(String system, String input, Path output) {
        return new IngestOrder(
                system,
                load.variant(),
                folder,
                bootstrap(),
                service,
                input(WARM_UP),
                input,
                output,
                load.parallelism(),
                load.warmUpSeconds(),
                load.isDrain() ? 0 : load.count());
    }

    private String input(String name) {
        return load.variant().fromTopic ? name : messages.file(name).toString();
    }

    private Score score(Map<String, Number> took, TableDigest table, Map<String, Number> latency) {
        Figures of = new Figures().putAll(took);
        double cpu = of.number("cpu_seconds");
        double seconds = of.number("seconds");
        double smallCpu = of.number("small_cpu_seconds");
        double events = written.messages();
        double mb = written.bytes() / 1e6;
        Figures figures = new Figures()
                .put("events", written.messages())
                .put("bytes_in", written.bytes())
                .put("bytes_out", table.bytes());
        if (table.files() > 0) {
            figures.put("files", (long) table.files());
        }
        figures.put("mb_per_cpu_second", mb / cpu);
        if (load.isDrain() && cpu > smallCpu) {
            figures.put("marginal_mb_per_cpu_second", (mb - small.bytes() / 1e6) / (cpu - smallCpu));
        }
        return figures.put("compiled_mb_per_cpu_second", mb / (cpu - of.number("compilers_cpu_seconds")))
                .put("events_per_cpu_second", Math.rint(events / cpu))
                .put("cpu_seconds_per_gb", cpu / (mb / 1e3))
                .put("mb_per_second", mb / seconds)
                .put("events_per_second", Math.rint(events / seconds))
                .put("allocated_bytes_per_event", Math.rint(of.number("allocated_bytes") / events))
                .putAll(took)
                .putAll(latency)
                .score(difference(table));
    }

    /** Compares a table with the first one that has as many rows as there are messages. */
    private String difference(TableDigest table) {
        if (table.rows() != written.messages()) {
            return "%,d rows instead of %,d".formatted(table.rows(), written.messages());
        }
        if (!load.isDrain()) {
            return ""; // each system is sent its own messages, which contain the time
        }
        if (expected == null) {
            expected = table;
        }
        return table.hasRowsOf(expected) ? "" : "as many rows as the system before, but other values";
    }

    /** Returns the class path with a rival's libraries before our own: they are the same libraries in other versions. */
    private static String classPath(String system) throws IOException {
        String own = System.getProperty("java.class.path");
        if (system.equals("thalweg")) {
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
