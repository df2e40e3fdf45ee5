package io.thalweg.cli;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.table.Materialization;
import io.thalweg.runner.ConfiguredServer;
import io.thalweg.runner.Console;
import io.thalweg.runner.MaterializeDryRun;
import io.thalweg.runner.MaterializeRun;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import io.thalweg.tables.TablePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg materialize}: loads rows of tables into the store. */
@Command(
        name = "materialize",
        description = "Writes the rows of tables in files into the store of thalweg.yaml, and ends.",
        footer = {
            "",
            "Examples:",
            "  thalweg materialize driver_stats.yaml --dry-run",
            "  thalweg materialize driver_stats.yaml --partition dt=2026-11-20 --rate 20000",
            "  thalweg materialize driver_stats.yaml --after 3051729675574597004"
        })
public final class MaterializeCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            arity = "1..*",
            paramLabel = "SPEC",
            description = "A file, or a name found in views: of thalweg.yaml; several are done one after the other.")
    private List<String> specs = List.of();

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--dry-run",
            description = "Read the table and tell what would be written: counts, the first rows, bad rows by reason.")
    private boolean dryRun;

    @Option(
            names = "--partition",
            paramLabel = "NAME=VALUE",
            description = "Only this partition; several of one name are read together.")
    private List<String> partitions = List.of();

    @Option(
            names = "--snapshot",
            paramLabel = "ID",
            description = "Of an Iceberg table this snapshot; by default the newest.")
    private @Nullable Long snapshot;

    @Option(
            names = "--after",
            paramLabel = "ID",
            description = "Of an Iceberg table only what was appended since this snapshot.")
    private @Nullable Long after;

    @Option(
            names = "--rate",
            paramLabel = "ROWS",
            description = "At most so many rows a second, so that a bulk load does not starve those who read.")
    private @Nullable Double rate;

    @Option(
            names = "--resume",
            paramLabel = "latest|none",
            description = "Resume an interrupted load of the same table, or start over.")
    private String resume = "latest";

    @Option(
            names = "--dead-letters",
            paramLabel = "FILE",
            description = "Where bad rows are appended to; by default <name>.dead.jsonl, made if there is one.")
    private @Nullable Path deadLetters;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Answer the console, /metrics, /livez and /readyz on this port of this machine.")
    private @Nullable Integer port;

    @Mixin
    private final JobOptions options = new JobOptions();

    public MaterializeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        requireOptions();
        ViewFiles files = config.views(console);
        List<Materialization> loaded = files.materializations(specs);
        if (loaded.isEmpty()) {
            throw UserError.usage(
                    "there is no materialization in " + String.join(" ", specs),
                    "thalweg materialize takes documents of kind: Materialization; thalweg run those of FeatureView");
        }
        DeploymentConfig deploymentConfig = files.deploymentConfig();
        TablePart part = new TablePart(chosen(), snapshot, after);
        int exit = 0;
        Map<String, Exception> failed = new LinkedHashMap<>();
        for (Materialization spec : loaded) {
            try {
                load(spec, deploymentConfig, part);
            } catch (IOException | RuntimeException e) {
                if (loaded.size() == 1) {
                    throw e;
                }
                failed.put(spec.view().qualifiedName(), e);
                exit = Math.max(exit, new Errors(console).report(e));
            }
        }
        if (!failed.isEmpty()) {
            throw new UserError(
                            "%d of %d loads failed: %s"
                                    .formatted(failed.size(), loaded.size(), String.join(", ", failed.keySet())),
                            "their reasons are above; the others are complete",
                            exit)
                    .causedBy(failed.values().iterator().next());
        }
        return 0;
    }

    private void load(Materialization spec, DeploymentConfig deploymentConfig, TablePart part)
            throws IOException, InterruptedException {
        if (dryRun) {
            new MaterializeDryRun(spec, part).run(console, options.quiet());
        } else {
            run(spec, deploymentConfig, part);
        }
    }

    private void run(Materialization spec, DeploymentConfig deploymentConfig, TablePart part)
            throws IOException, InterruptedException {
        Path letters = deadLetters == null ? Path.of(spec.view().qualifiedName() + ".dead.jsonl") : deadLetters;
        double perSecond = rate == null ? Double.POSITIVE_INFINITY : rate;
        new MaterializeRun(
                        spec,
                        deploymentConfig,
                        part,
                        options.parallelism(),
                        perSecond,
                        resume,
                        letters.toAbsolutePath(),
                        port)
                .run(console, options.quiet());
    }

    private void requireOptions() {
        options.require();
        ConfiguredServer.requirePort(port);
        if (port != null && dryRun) {
            throw UserError.usage("--port does not go with --dry-run, which starts no job", "leave one of them out");
        }
        if (rate != null && !(rate > 0)) {
            throw UserError.usage("--rate must be above 0, was " + rate, "such as --rate 20000");
        }
        if (!resume.equals("latest") && !resume.equals("none")) {
            throw UserError.usage("--resume must be latest or none, was " + resume, "latest is the default");
        }
    }

    private Map<String, Set<String>> chosen() {
        Map<String, Set<String>> chosen = new LinkedHashMap<>();
        for (String partition : partitions) {
            int equals = partition.indexOf('=');
            if (equals < 1) {
                throw UserError.usage(
                        "--partition must be NAME=VALUE, was " + partition, "such as --partition dt=2026-11-20");
            }
            chosen.computeIfAbsent(partition.substring(0, equals), name -> new LinkedHashSet<>())
                    .add(partition.substring(equals + 1));
        }
        return chosen;
    }
}
