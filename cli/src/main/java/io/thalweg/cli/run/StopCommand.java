package io.thalweg.cli.run;

import io.thalweg.cli.Config;
import io.thalweg.cli.Console;
import io.thalweg.cli.UserError;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code thalweg stop}: stops a deployment's job on its Flink cluster with a savepoint, from which the next one resumes. */
@Command(
        name = "stop",
        description =
                "Stops the deployment's job on its Flink cluster, with a savepoint that the next one resumes from.",
        footer = {"", "Examples:", "  thalweg stop", "  thalweg stop publish --config thalweg.yaml"})
public final class StopCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "0..1", paramLabel = "JOB", description = "Which one: run, by default, or publish.")
    private JobKind kind = JobKind.RUN;

    @Mixin
    private final Config config = new Config();

    public StopCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        DeploymentConfig deploymentConfig = config.views(console).deploymentConfig();
        DeploymentConfig.Flink cluster = deploymentConfig.flink();
        if (cluster == null) {
            throw UserError.usage(
                    "thalweg.yaml names no Flink cluster",
                    "a job in a process of its own ends with Ctrl-C; on a cluster, say flink: {rest: \"http://localhost:8081\"}");
        }
        ClusterJobs flink = new ClusterJobs(cluster.rest());
        JobKind.Job stopped = kind.of(deploymentConfig);
        try {
            String job = flink.running(stopped.name())
                    .orElseThrow(() -> UserError.failed(
                            "no job '%s' runs on %s".formatted(stopped.name(), cluster.rest()),
                            "look at its page for others"));
            stop(flink, job, stopped.checkpoints());
            console.err().println("stopped job " + job + " with a savepoint");
            return 0;
        } catch (IOException e) {
            throw flink.unreachable(e);
        }
    }

    /** Stops a job with a savepoint where {@code --resume latest} looks for it. */
    static void stop(ClusterJobs flink, String job, CheckpointFolder checkpoints) throws InterruptedException {
        Path run = checkpoints.newestRun();
        try {
            flink.stop(job, run);
        } catch (IOException e) {
            throw flink.unreachable(e);
        }
    }
}
