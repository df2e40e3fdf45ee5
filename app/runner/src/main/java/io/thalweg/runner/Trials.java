package io.thalweg.runner;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.store.StoreException;
import io.thalweg.store.redis.ScratchDatabase;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * Runs a bounded sample of what a job reads with several settings, each run in a process of its own, and compares them. The sample is
 * copied into a broker of this process; jobs write to that broker and to a folder, both of which are removed, or to a scratch store,
 * which is emptied.
 *
 * @param config the file of {@code --config}; null = the one in the working directory, if it exists
 * @param spec a file, or a name of the {@code views:} folders
 */
public record Trials(ViewFiles files, @Nullable Path config, String spec, TrialOptions options) {
    private static final Duration COPYING = Duration.ofSeconds(30);

    /**
     * Runs all variants and prints the table.
     *
     * @throws UserError if there is nothing to run, or the baseline fails
     */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        DeploymentConfig deployment = files.deploymentConfig();
        TrialSpec tried = TrialSpec.of(files, spec, options.publish());
        List<TrialVariant> variants = variants(tried, deployment, console);
        int rounds = options.rounds();
        int most = options.sample();
        URI store = TrialTarget.requireScratch(options.scratchStore(), deployment);
        Path scratch = Files.createTempDirectory("thalweg-try-");
        Deque<Runnable> open = new ConcurrentLinkedDeque<>(); // what Ctrl-C ends, the newest first
        open.push(() -> Folders.deleteQuietly(scratch));
        Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, () -> open.forEach(Runnable::run));
        try (ProgressLine progress = console.progress(quiet)) {
            EmbeddedKafka broker = EmbeddedKafka.start(scratch.resolve("kafka"), 0);
            open.push(broker::close);
            try (TrialSample sample = new TrialSample(broker)) {
                copy(sample, tried, deployment, variants, most, progress);
                progress.say("%s: sample of %s; %d variants, %d rounds; %s"
                        .formatted(tried.command(), sample.text(), variants.size(), rounds, untouched(tried, store)));
                TrialTable table = new TrialTable(variants);
                Run run = new Run(tried, broker.bootstrap(), sample.records(), store, scratch);
                for (int round = 1; round <= rounds; round++) {
                    for (TrialVariant variant : inTurn(variants, round)) {
                        progress.say("round %d of %d: %s".formatted(round, rounds, variant.name()));
                        if (!table.hasFailed(variant)) {
                            run(run, variant, table, open);
                        }
                    }
                }
                report(tried, table, variants.get(0), console);
            } finally {
                broker.close();
            }
        } finally {
            interrupt.disarm();
            Folders.deleteQuietly(scratch);
        }
    }

    /** What all runs have in common. */
    private record Run(
            TrialSpec spec,
            String bootstrap,
            long records,
            @Nullable URI store,
            Path scratch) {}

    private List<TrialVariant> variants(TrialSpec tried, DeploymentConfig deployment, Console console) {
        TrialSettings baseline = TrialSettings.of(
                options.parallelism(), tried.checkpoints(deployment), deployment.load(), console.env());
        return TrialVariant.of(
                baseline, options.vary(), tried.loads(), Runtime.getRuntime().availableProcessors(), memory());
    }

    private static long memory() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
    }

    private void copy(
            TrialSample sample,
            TrialSpec tried,
            DeploymentConfig deployment,
            List<TrialVariant> variants,
            int most,
            ProgressLine progress)
            throws IOException {
        if (options.inputs().isEmpty()) {
            sample.copy(tried, deployment, most, COPYING, progress);
            return;
        }
        int partitions = variants.stream()
                .mapToInt(variant -> variant.settings().parallelism())
                .max()
                .orElse(1);
        sample.copy(tried, InputFiles.expandAll(options.inputs()), partitions, most);
    }

    private static String untouched(TrialSpec tried, @Nullable URI store) {
        if (tried instanceof TrialSpec.OfIngest ingest) {
            return ingest.ingest().sink() instanceof Ingest.BigQuerySink
                    ? "rows go to Parquet files of the trial instead of BigQuery"
                    : "rows go to a %s of the trial"
                            .formatted(kind(ingest.ingest().sink()));
        }
        return store == null
                ? "rows go to an embedded store of the trial"
                : "rows go to the Redis at %s:%d, which is emptied again".formatted(store.getHost(), store.getPort());
    }

    private static String kind(Ingest.Sink sink) {
        return sink instanceof Ingest.TopicSink ? "topic" : "folder";
    }

    /** Starts each round with another variant, so that no variant always runs first, on a machine that has just been idle. */
    private static List<TrialVariant> inTurn(List<TrialVariant> variants, int round) {
        int first = (round - 1) % variants.size();
        List<TrialVariant> turned = new ArrayList<>(variants.subList(first, variants.size()));
        turned.addAll(variants.subList(0, first));
        return turned;
    }

    private void run(Run run, TrialVariant variant, TrialTable table, Deque<Runnable> open)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(run.scratch(), "run-");
        TrialProcess process = new TrialProcess(folder);
        Runnable kill = process::kill;
        open.push(kill);
        try (ScratchDatabase database = database(run.store())) {
            TrialProcess.Outcome outcome = process.run(task(run, variant), variant.settings());
            if (database != null) {
                database.clear();
            }
            TrialResult result = outcome.result();
            if (result != null) {
                table.add(variant, result);
            } else if (variant.key() == null) {
                throw TrialProcess.baselineFailed(outcome.failure());
            } else {
                table.fail(variant, outcome.failure());
            }
        } finally {
            open.remove(kill);
        }
    }

    private static @Nullable ScratchDatabase database(@Nullable URI store) {
        if (store == null) {
            return null;
        }
        try {
            ScratchDatabase database = ScratchDatabase.open(store);
            long keys = database.keys();
            if (keys > 0) {
                database.close();
                throw UserError.usage(
                        "--scratch-store %s:%d is not empty: it has %,d keys"
                                .formatted(store.getHost(), store.getPort(), keys),
                        "name an empty Redis, because it is emptied after each run");
            }
            return database;
        } catch (StoreException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "is --scratch-store running?")
                    .causedBy(e);
        }
    }

    private Properties task(Run run, TrialVariant variant) {
        Properties task = new Properties();
        task.setProperty("spec", spec);
        task.setProperty("publish", String.valueOf(options.publish()));
        task.setProperty("bootstrap", run.bootstrap());
        task.setProperty("records", String.valueOf(run.records()));
        if (config != null) {
            task.setProperty("config", config.toString());
        }
        if (run.store() != null) {
            task.setProperty("store", run.store().toString());
        }
        variant.settings().writeTo(task);
        return task;
    }

    private static void report(TrialSpec tried, TrialTable table, TrialVariant baseline, Console console) {
        table.print(console.out());
        console.out().println();
        List<TrialVariant> better = table.better();
        if (better.isEmpty()) {
            console.out()
                    .println("keep what you have: no variant is better than the baseline by more than its runs differ");
        } else {
            TrialVariant best = better.get(0);
            console.out()
                    .println("recommended: %s instead of %s, %s"
                            .formatted(best.name(), baseline.settings().get(key(best)), table.gain(best)));
            console.out().println("  " + change(tried, best));
            better.stream()
                    .skip(1)
                    .forEach(also -> console.out()
                            .println("also better: %s, %s; try again from the recommended settings before you add it"
                                    .formatted(also.name(), table.gain(also))));
        }
        console.out().flush();
    }

    private static TrialKey key(TrialVariant variant) {
        TrialKey key = variant.key();
        return key == null ? TrialKey.PARALLELISM : key;
    }

    /** Describes the change to make, and where. */
    private static String change(TrialSpec tried, TrialVariant variant) {
        TrialSettings settings = variant.settings();
        TrialKey key = key(variant);
        return switch (key) {
            case PARALLELISM -> "thalweg %s --parallelism %d".formatted(tried.command(), settings.parallelism());
            case GC -> "THALWEG_GC=" + settings.gcOption();
            case HEAP -> "THALWEG_JAVA_OPTS=-Xmx" + settings.heap();
            case CHECKPOINTS ->
                tried instanceof TrialSpec.OfIngest
                        ? "in the definition: sink: {every: %s}"
                                .formatted(settings.checkpoints().text())
                        : "thalweg.yaml: checkpoints: {every: %s}"
                                .formatted(settings.checkpoints().text());
            case BATCH_ROWS, IN_FLIGHT, TARGET_LATENCY ->
                "thalweg.yaml: load: {%s: %s}".formatted(key.text(), settings.get(key));
        };
    }
}
