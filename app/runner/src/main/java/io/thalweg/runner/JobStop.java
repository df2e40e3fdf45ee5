package io.thalweg.runner;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import java.io.IOException;
import java.util.Optional;

/** Stops a deployment's job on its Flink cluster with a savepoint, from which the next one resumes. */
public final class JobStop {
    private JobStop() {}

    /**
     * Stops a job. Of an ingest whose definition is there, prints the account.
     *
     * @param spec of an ingest its name, or the file of its definition; otherwise empty
     */
    public static void run(ViewFiles files, JobKind kind, String spec, Console console) throws InterruptedException {
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
        RunFolder run = stop(new ClusterJobs(cluster.rest()), stopped, cluster, console);
        ingest.ifPresent(definition -> ClusterRun.report(
                new ClusterIngest(IngestPlan.of(definition, Registries.of(deploymentConfig)), deploymentConfig, null),
                run,
                console));
    }

    /** Returns the folder of the job's checkpoints. */
    private static RunFolder stop(
            ClusterJobs flink, JobKind.Job stopped, DeploymentConfig.Flink cluster, Console console)
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
