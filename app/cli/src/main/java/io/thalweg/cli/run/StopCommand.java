package io.thalweg.cli.run;

import io.thalweg.cli.Config;
import io.thalweg.cli.Console;
import io.thalweg.cli.Registries;
import io.thalweg.cli.UserError;
import io.thalweg.cli.ViewFiles;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code thalweg stop}: stops a deployment's job on its Flink cluster with a savepoint, from which the next one resumes. */
@Command(
        name = "stop",
        description =
                "Stops the deployment's job on its Flink cluster, with a savepoint that the next one resumes from.",
        footer = {
            "",
            "Examples:",
            "  thalweg stop",
            "  thalweg stop publish --config thalweg.yaml",
            "  thalweg stop ingest ride_events"
        })
public final class StopCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "JOB",
            description = "Which one: run, by default, publish, or ingest.")
    private JobKind kind = JobKind.RUN;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "SPEC",
            description =
                    "Of ingest: its name, or the file of its definition. With the definition, prints the account.")
    private String spec = "";

    @Mixin
    private final Config config = new Config();

    public StopCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (spec.isEmpty() == (kind == JobKind.INGEST)) {
            throw UserError.usage(
                    "stop ingest needs the name of one, and the other jobs have none",
                    "such as: thalweg stop ingest ride_events");
        }
        ViewFiles files = config.views(console);
        DeploymentConfig deploymentConfig = files.deploymentConfig();
        DeploymentConfig.Flink cluster = deploymentConfig.flink();
        if (cluster == null) {
            throw UserError.usage(
                    "thalweg.yaml names no Flink cluster",
                    "a job in a process of its own ends with Ctrl-C; on a cluster, say flink: {rest: \"http://localhost:8081\"}");
        }
        Optional<Ingest> ingest = kind == JobKind.INGEST ? files.findIngest(spec) : Optional.empty();
        JobKind.Job stopped =
                kind.of(deploymentConfig, ingest.map(Ingest::qualifiedName).orElse(spec));
        RunFolder run = stop(new ClusterJobs(cluster.rest()), stopped, cluster);
        ingest.ifPresent(definition -> ClusterRun.report(
                new ClusterIngest(IngestPlan.of(definition, Registries.of(deploymentConfig)), deploymentConfig, null),
                run,
                console));
        return 0;
    }

    /** Returns the folder of the job's checkpoints. */
    private RunFolder stop(ClusterJobs flink, JobKind.Job stopped, DeploymentConfig.Flink cluster)
            throws InterruptedException {
        try {
            String job = flink.running(stopped.name())
                    .orElseThrow(() -> UserError.failed(
                            "no job '%s' runs on %s".formatted(stopped.name(), cluster.rest()),
                            "look at its page for others"));
            RunFolder run = stop(flink, job, stopped.checkpoints());
            console.err().println("stopped job " + job + " with a savepoint");
            return run;
        } catch (IOException e) {
            throw flink.unreachable(e);
        }
    }

    /** Stops a job with a savepoint where {@code --resume latest} finds it; returns the folder of its checkpoints. */
    static RunFolder stop(ClusterJobs flink, String job, CheckpointFolder checkpoints) throws InterruptedException {
        RunFolder run = checkpoints.newestRun();
        try {
            flink.stop(job, run.path());
            return run;
        } catch (IOException e) {
            throw flink.unreachable(e);
        }
    }
}
