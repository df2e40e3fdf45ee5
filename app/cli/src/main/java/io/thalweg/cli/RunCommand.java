package io.thalweg.cli;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.BadShare;
import io.thalweg.runner.BoundedRun;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.runner.Console;
import io.thalweg.runner.EmptyFiles;
import io.thalweg.runner.InputFiles;
import io.thalweg.runner.JobPlan;
import io.thalweg.runner.LiveRun;
import io.thalweg.runner.StoreServing;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import io.thalweg.server.versions.Switching;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg run}: computes views as a job, over files or from Kafka. */
@Command(
        name = "run",
        description = "Runs views as a job: over files with --input, else from Kafka, serving what it stores.",
        footer = {
            "",
            "Examples:",
            "  thalweg run examples/demand.yaml --input examples/rider-events.jsonl",
            "  thalweg run orders.yaml --input orders.csv --output rows.parquet",
            "  thalweg run demand supply --config thalweg.yaml"
        })
public final class RunCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "1..*", paramLabel = "VIEW", description = "A file, or a name found in views: of thalweg.yaml.")
    private List<String> views = List.of();

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description =
                    "Bounded: read this file (jsonl, csv, .gz, .parquet, - for standard input; * for several), not Kafka."
                            + " With several topics: TOPIC=FILE. May be repeated.")
    private List<String> inputs = List.of();

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Bounded: rows as JSON lines; of one view as a flat table if FILE ends with .parquet or .csv;"
                    + " - is standard output.")
    private String output = "-";

    @Option(
            names = "--dead-letters",
            paramLabel = "FILE",
            description =
                    "Bounded: bad and late events; <output>.dead.jsonl, only counted when rows go to standard output.")
    private @Nullable Path deadLetters;

    @Option(names = "--store", description = "Bounded: write rows to the store of thalweg.yaml, too.")
    private boolean store;

    @Option(
            names = "--offline",
            description =
                    "Bounded: add the window ends that the feature logs of the views lack, and compare the others."
                            + " Exit code 1 if a row differs.")
    private boolean offline;

    @Option(
            names = "--max-bad",
            paramLabel = "SHARE",
            description = "Bounded: fail if more events are bad, such as 1%%.")
    private String maxBad = "100%";

    @Option(
            names = "--max-late",
            paramLabel = "SHARE",
            description = "Bounded: fail if more events are late, such as 1%%.")
    private String maxLate = "100%";

    @Option(
            names = "--serve",
            description = "Serve while running; always so with the embedded store and with --port."
                    + " Bounded, with --store: serve the loaded rows as of the last event, until Ctrl-C.")
    private boolean serve;

    @Option(
            names = "--resume",
            paramLabel = "latest|PATH|none",
            description =
                    "Begin from the latest checkpoint of this deployment and these views, from a given one, or from none.")
    private String resume = "latest";

    @Mixin
    private final ClusterOptions onCluster = new ClusterOptions();

    @Mixin
    private final ServingOptions serving = new ServingOptions();

    @Mixin
    private final JobOptions options = new JobOptions();

    public RunCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws Exception {
        options.require();
        serving.require();
        ViewFiles files = config.views(console);
        List<FeatureView> loaded = files.loadSome(views);
        return inputs.isEmpty() ? live(files, loaded) : bounded(files, loaded);
    }

    private int live(ViewFiles files, List<FeatureView> loaded) throws InterruptedException {
        requireNoBoundedOptions();
        for (FeatureView view : loaded) {
            if (view.source().format() == Source.Format.CSV) {
                throw UserError.usage(
                        "view " + view.qualifiedName() + " reads csv, which has no header in Kafka",
                        "csv is for files: add --input FILE");
            }
        }
        DeploymentConfig.Flink cluster = files.deploymentConfig().flink();
        if (cluster != null) {
            requireNoServing();
            requireSinks(loaded);
            LookupSources lookups =
                    ConfiguredLookups.of(files.deploymentConfig()).sources(loaded);
            JobPlan plan = JobPlan.run(loaded, files.deploymentConfig(), lookups, null, ClockSpec.system());
            return onCluster.run(plan, cluster, options.parallelism(), resume, console, options.quiet());
        }
        Integer on = servePort(files.deploymentConfig());
        Switching.Mode switching = onCluster.switching(serving, on);
        return new LiveRun(loaded, files.deploymentConfig(), options.parallelism(), resume, on, switching)
                .run(console, options.quiet());
    }

    private static void requireSinks(List<FeatureView> views) {
        for (FeatureView view : views) {
            if (view.sink() == null) {
                throw UserError.usage(
                        "view %s has no sink, and on a cluster its rows go to Kafka first"
                                .formatted(view.qualifiedName()),
                        "give it one, such as sink: {topic: %s-features}; thalweg publish takes rows from there to the store"
                                .formatted(view.name()));
            }
        }
    }

    /** Returns the port to serve on. The embedded store can only be read in the process that has it open. */
    private @Nullable Integer servePort(DeploymentConfig deploymentConfig) {
        boolean embedded = deploymentConfig.store() instanceof DeploymentConfig.RocksDb;
        if (serving.port() == null && (serve || embedded)) {
            return deploymentConfig.server().port();
        }
        return serving.port();
    }

    private void requireNoBoundedOptions() {
        if (store
                || offline
                || deadLetters != null
                || !output.equals("-")
                || !maxBad.equals("100%")
                || !maxLate.equals("100%")) {
            throw UserError.usage(
                    "--output, --dead-letters, --store, --offline, --max-bad and --max-late need --input",
                    "a live run writes to the topics of its views and to the store");
        }
    }

    private void requireNoServing() {
        if (serving.aborts()) {
            throw UserError.usage(
                    "--abort does not go with a Flink cluster, whose job serves nothing",
                    "give it to thalweg serve, beside the cluster");
        }
        if (serve || serving.port() != null) {
            throw UserError.usage(
                    "--serve and --port do not go with a Flink cluster: it writes to topics, and thalweg publish from there to the store",
                    "leave them out, or run without flink.rest");
        }
    }

    private int bounded(ViewFiles files, List<FeatureView> loaded) throws Exception {
        boolean serves = serve || serving.port() != null;
        if (serves && !store) {
            throw UserError.usage(
                    "--serve and --port need --store with --input", "add --store: rows are served from there");
        }
        Map<String, List<String>> read = InputFiles.of(inputs, loaded);
        EmptyFiles.report("--input", InputFiles.empty(read, loaded), console);
        if (read.values().stream().allMatch(List::isEmpty)) {
            console.err().println("--input: no files to read, only _SUCCESS");
        }
        OptionalLong watermarkMs = new BoundedRun(
                        loaded,
                        read,
                        output,
                        deadLetters,
                        store ? files.deploymentConfig().store() : null,
                        options.parallelism(),
                        BadShare.parse(maxBad),
                        BadShare.parse("--max-late", maxLate),
                        ConfiguredLookups.of(files.deploymentConfig()),
                        offline ? files.deploymentConfig() : null)
                .run(console, options.quiet());
        if (serves) {
            int on = serving.port() == null ? files.deploymentConfig().server().port() : serving.port();
            new StoreServing(loaded, files.deploymentConfig(), serving.port(), serving.mode(false, on), console)
                    .runAsOf(watermarkMs);
        }
        return 0;
    }
}
