package io.thalweg.cli;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.runner.ClusterRun;
import io.thalweg.runner.Console;
import io.thalweg.runner.JobPlan;
import io.thalweg.runner.UserError;
import io.thalweg.server.versions.Switching;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a job that runs on a Flink cluster, mixed into the commands that start one. */
final class ClusterOptions {
    @Option(names = "--detach", description = "On a Flink cluster: submit the job and return.")
    private boolean detach;

    @Option(
            names = "--replace",
            description =
                    "On a Flink cluster: stop the deployment's running job of this kind with a savepoint and go on from there."
                            + " Where views are served: switch reads of a name to its newest version once that has caught up.")
    private boolean replace;

    /** Runs a job there; see {@link ClusterRun#run}. */
    int run(
            JobPlan plan,
            DeploymentConfig.Flink cluster,
            int parallelism,
            String resume,
            Console console,
            boolean quiet)
            throws InterruptedException {
        return run(new ClusterRun(plan, cluster.rest(), parallelism, resume), console, quiet);
    }

    /** Runs a job there; see {@link ClusterRun#run}. */
    int run(ClusterRun run, Console console, boolean quiet) throws InterruptedException {
        return run.run(console, quiet, replace, detach);
    }

    /** Whether the command returns once the job is submitted. */
    boolean detaches() {
        return detach;
    }

    /** Requires that no option of a cluster is given, for a run in this process, whether or not a cluster is configured. */
    void requireAbsent() {
        if (detach || replace) {
            throw UserError.usage(
                    "--detach and --replace go with a topic or a subscription only",
                    "files are read in this process; leave them out");
        }
    }

    /** Requires that no option of a cluster is given, for a run without a cluster. */
    void requireNone() {
        if (detach || replace) {
            throw UserError.usage(
                    "--detach and --replace need a Flink cluster", "say flink: {rest: …} in thalweg.yaml");
        }
    }

    /**
     * Checks the options of a run without a cluster, which may serve: {@code --replace} then concerns versions of views.
     *
     * @param port where views are served; null = nowhere
     */
    Switching.Mode switching(ServingOptions serving, @Nullable Integer port) {
        if (detach) {
            throw UserError.usage("--detach needs a Flink cluster", "say flink: {rest: …} in thalweg.yaml");
        }
        return serving.mode(replace, port);
    }
}
