package io.thalweg.cli;

import io.thalweg.jobs.deadletters.SubtaskDeadLetters;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.runner.BadShare;
import io.thalweg.runner.ClusterIngest;
import io.thalweg.runner.ClusterRun;
import io.thalweg.runner.ConfiguredServer;
import io.thalweg.runner.Console;
import io.thalweg.runner.EmptyFiles;
import io.thalweg.runner.IngestDryRun;
import io.thalweg.runner.IngestInput;
import io.thalweg.runner.IngestLive;
import io.thalweg.runner.IngestRun;
import io.thalweg.runner.JobPlan;
import io.thalweg.runner.LiveSource;
import io.thalweg.runner.Provision;
import io.thalweg.runner.Registries;
import io.thalweg.runner.SubscriptionSource;
import io.thalweg.runner.TopicSource;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import io.thalweg.runner.WritableTargets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg ingest}: writes raw events into tables. */
@Command(
        name = "ingest",
        description = "Writes raw events of a topic, a subscription or files to a table or a topic.",
        footer = {
            "",
            "Examples:",
            "  thalweg ingest examples/ride_events.yaml --input rides.bin",
            "  thalweg ingest examples/ride_events.yaml --input 'rides-*.bin' --dry-run",
            "  thalweg ingest ride_events --provision",
            "  thalweg ingest ride_events --once"
        })
public final class IngestCommand implements Callable<Integer> {
    private static final Duration STANDARD_IDLE = Duration.ofSeconds(45);

    private final Console console;

    @Parameters(paramLabel = "SPEC", description = "A file, or a name found in views: of thalweg.yaml.")
    private String spec = "";

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "Read this file instead of the definition's source (* for several). May be repeated.")
    private List<String> inputs = List.of();

    @Option(
            names = "--once",
            description = "End when what the topic holds now is written, or when a subscription has delivered nothing"
                    + " for --idle.")
    private boolean once;

    @Option(
            names = "--idle",
            paramLabel = "DURATION",
            description = "Of a subscription with --once: how long nothing must be delivered. Default: 45s.")
    private @Nullable String idle;

    @Option(
            names = "--port",
            paramLabel = "N",
            description =
                    "Of a topic or subscription: answer the console, /metrics, /livez and /readyz on this port of this machine.")
    private @Nullable Integer port;

    @Option(names = "--dry-run", description = "Print the table, the first rows and the bad events; write nothing.")
    private boolean dryRun;

    @Option(
            names = "--provision",
            description =
                    "Create the topics and the table that are missing, register the schema of messages, print what was"
                            + " done, and end.")
    private boolean provision;

    @Option(names = "--max-bad", paramLabel = "SHARE", description = "Fail if more events are bad, such as 1%%.")
    private String maxBad = "100%";

    @Option(
            names = "--resume",
            paramLabel = "latest|PATH|none",
            description =
                    "Resume from the latest checkpoint, from a given one (not files), or start over. Files: only an"
                            + " interrupted run over the same files is resumed, and a finished one is only reported.")
    private String resume = "latest";

    @Option(
            names = "--dead-letters",
            paramLabel = "FILE",
            description = "Where bad events are appended to, instead of dead_letters of the definition.")
    private @Nullable Path deadLetters;

    @Mixin
    private final ClusterOptions onCluster = new ClusterOptions();

    @Mixin
    private final JobOptions options = new JobOptions();

    public IngestCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        options.require();
        ConfiguredServer.requirePort(port);
        double share = BadShare.parse(maxBad);
        ViewFiles files = config.views(console);
        DeploymentConfig deploymentConfig = files.deploymentConfig();
        Ingest ingest = files.oneIngest(spec);
        Map<String, RegistryAddress> registries = Registries.of(deploymentConfig);
        IngestPlan checked = IngestPlan.of(ingest, registries);
        if (provision) {
            requireAlone();
            new Provision(checked, deploymentConfig).run(console);
            return 0;
        }
        IngestPlan plan = dryRun ? checked : checked.resolved(registries);
        DeploymentConfig.Flink cluster = deploymentConfig.flink();
        if (inputs.isEmpty() && !dryRun && ingest.input().from() instanceof Ingest.Topic topic) {
            requireNoIdle();
            if (cluster != null) {
                JobPlan job = JobPlan.ingest(plan, topic, deploymentConfig, null);
                return onCluster(
                        plan, job, () -> new ClusterIngest.Passed(job.ends(topic, resume)), deploymentConfig, cluster);
            }
            onCluster.requireNone();
            live(plan, new TopicSource(topic, deploymentConfig), deploymentConfig, deadLetters);
            return 0;
        }
        if (inputs.isEmpty() && !dryRun && ingest.input().from() instanceof Ingest.PubSub subscription) {
            Duration patience = idle();
            if (cluster != null) {
                SubtaskDeadLetters letters = ClusterIngest.letters(ingest);
                WritableTargets.requireFile("dead_letters.file", Path.of(letters.path()));
                JobPlan job = JobPlan.ingest(plan, subscription, deploymentConfig, letters);
                return onCluster(plan, job, () -> new ClusterIngest.Quiet(patience), deploymentConfig, cluster);
            }
            onCluster.requireNone();
            live(
                    plan,
                    new SubscriptionSource(subscription, deploymentConfig, patience),
                    deploymentConfig,
                    letterFile(ingest));
            return 0;
        }
        requireOptionsOfFiles();
        IngestInput input = IngestInput.of(ingest, inputs);
        EmptyFiles.report(ingest.qualifiedName(), input.empty(), console);
        if (input.files().isEmpty()) {
            console.err().println(ingest.qualifiedName() + ": no files to read, only _SUCCESS");
            return 0;
        }
        if (dryRun) {
            new IngestDryRun(plan, input, deploymentConfig).run(console, options.quiet());
            return 0;
        }
        new IngestRun(plan, input, deploymentConfig, options.parallelism(), resume, share, letterFile(ingest))
                .run(console, options.quiet());
        return 0;
    }

    /**
     * Runs a job on a Flink cluster.
     *
     * @param end when to stop a run with {@code --once}
     */
    private int onCluster(
            IngestPlan plan,
            JobPlan job,
            Supplier<ClusterIngest.End> end,
            DeploymentConfig deploymentConfig,
            DeploymentConfig.Flink cluster)
            throws InterruptedException {
        ClusterIngest.require(deadLetters, port);
        if (once && onCluster.detaches()) {
            throw UserError.usage(
                    "--once does not go with --detach: this process stops the job", "leave one of them out");
        }
        ClusterIngest follower = new ClusterIngest(plan, deploymentConfig, once ? end.get() : null);
        return onCluster.run(
                new ClusterRun(job, cluster.rest(), options.parallelism(), resume, follower), console, options.quiet());
    }

    private void requireAlone() {
        if (!inputs.isEmpty() || dryRun || once || port != null) {
            throw UserError.usage(
                    "--provision creates what is missing and reads nothing",
                    "leave the other options out; then start the ingest without --provision");
        }
    }

    private void live(IngestPlan plan, LiveSource source, DeploymentConfig deploymentConfig, @Nullable Path letters)
            throws IOException, InterruptedException {
        new IngestLive(plan, source, deploymentConfig, options.parallelism(), resume, once, port, letters)
                .run(console, options.quiet());
    }

    private Path letterFile(Ingest ingest) {
        return (deadLetters == null ? Path.of(ingest.deadLetters().file()) : deadLetters).toAbsolutePath();
    }

    /**
     * Returns how long the subscription must be idle. The default is longer than a lease, so that the messages that a killed run
     * held are delivered again first.
     */
    private Duration idle() {
        if (idle == null) {
            return STANDARD_IDLE;
        }
        if (!once) {
            throw UserError.usage("--idle goes with --once only", "add --once, or leave it out");
        }
        try {
            return DurationText.parse(idle).duration();
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--idle " + idle + ": " + e.getMessage(), "such as --idle 45s");
        }
    }

    private void requireNoIdle() {
        if (idle != null) {
            throw UserError.usage("--idle goes with a subscription only", "leave it out");
        }
    }

    private void requireOptionsOfFiles() {
        if (!resume.equals("latest") && !resume.equals("none")) {
            throw UserError.usage("--resume must be latest or none for files, was " + resume, "latest is the default");
        }
        requireNoIdle();
        if (once || port != null) {
            throw UserError.usage(
                    "--once and --port go with a topic or a subscription only",
                    "files are always read once; leave them out");
        }
        onCluster.requireAbsent();
    }
}
