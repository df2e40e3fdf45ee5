package io.thalweg.cli;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.runner.Console;
import io.thalweg.runner.DeadLetterFile;
import io.thalweg.runner.DeadLetterSelection;
import io.thalweg.runner.DeadLetterSource;
import io.thalweg.runner.DeadLetterTopic;
import io.thalweg.runner.KafkaClusters;
import io.thalweg.runner.Registries;
import io.thalweg.runner.ReplayRun;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg replay}: ingests dead letters once more. */
@Command(
        name = "replay",
        description = "Runs an ingest over its dead letters, and leaves those that fail again.",
        footer = {
            "",
            "Examples:",
            "  thalweg replay examples/ride_events.yaml --letters ride_events.dead.jsonl --dry-run",
            "  thalweg replay ride_events --reason missing_field --since 2h"
        })
public final class ReplayCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "SPEC", description = "A file, or a name found in views: of thalweg.yaml.")
    private String spec = "";

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--letters",
            paramLabel = "TOPIC|FILE",
            description =
                    "The letters. By default dead_letters of the definition: of a topic its topic, of files its file.")
    private @Nullable String letters;

    @Option(names = "--reason", paramLabel = "REASON", split = ",", description = "Only letters of these reasons.")
    private List<String> reasons = List.of();

    @Option(names = "--stage", paramLabel = "STAGE", split = ",", description = "Only letters of these stages.")
    private List<String> stages = List.of();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only letters that were written since this time, or within this duration, such as 2h.")
    private @Nullable String since;

    @Option(names = "--limit", paramLabel = "N", description = "At most so many letters.")
    private @Nullable Long limit;

    @Option(names = "--dry-run", description = "Print the first rows and what is still bad; write nothing.")
    private boolean dryRun;

    @Option(
            names = "--dead-letters",
            paramLabel = "FILE",
            description = "Of letters in a file: where those go that are left. By default FILE.again beside it.")
    private @Nullable Path deadLetters;

    @Option(
            names = "--resume",
            paramLabel = "latest|none",
            description = "Go on with an interrupted replay, or start over.")
    private String resume = "latest";

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    public ReplayCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        DeadLetterSelection selection = DeadLetterSelection.of(reasons, stages, since, limit, Instant.now());
        if (!resume.equals("latest") && !resume.equals("none")) {
            throw UserError.usage("--resume must be latest or none, was " + resume, "latest is the default");
        }
        ViewFiles files = config.views(console);
        Ingest ingest = files.oneIngest(spec);
        DeploymentConfig deploymentConfig = files.deploymentConfig();
        Map<String, String> cluster = ingest.input().from() instanceof Ingest.Topic topic
                ? KafkaClusters.required(deploymentConfig, topic.kafka())
                : null;
        Map<String, RegistryAddress> registries = Registries.of(deploymentConfig);
        IngestPlan checked = IngestPlan.of(ingest, registries);
        ReplayRun run = new ReplayRun(
                dryRun ? checked : checked.resolved(registries),
                source(ingest, cluster, deploymentConfig.deployment()),
                selection,
                cluster,
                deploymentConfig,
                resume);
        if (dryRun) {
            run.dryRun(console);
        } else {
            run.run(console, quiet);
        }
        return 0;
    }

    private DeadLetterSource source(Ingest ingest, @Nullable Map<String, String> cluster, String deployment) {
        String standard = cluster == null
                ? ingest.deadLetters().file()
                : ingest.deadLetters().topic();
        String named = letters == null ? standard : letters;
        Path file = Path.of(named);
        if (Files.isRegularFile(file)) {
            Path absolute = file.toAbsolutePath().normalize();
            return new DeadLetterFile(
                    absolute,
                    deadLetters == null
                            ? DeadLetterFile.again(absolute)
                            : deadLetters.toAbsolutePath().normalize());
        }
        if (cluster == null || !named.matches("[a-zA-Z0-9._-]{1,249}") || named.endsWith(".jsonl")) {
            throw UserError.usage(
                    "there is no file %s with dead letters".formatted(named),
                    "name the file, or for an ingest of a topic the topic, with --letters");
        }
        if (deadLetters != null) {
            throw UserError.usage(
                    "--dead-letters goes with letters of a file; those of a topic stay in the topic", "leave it out");
        }
        return new DeadLetterTopic(named, cluster, "thalweg-" + deployment + "-replay-" + ingest.qualifiedName());
    }
}
