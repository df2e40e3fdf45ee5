package io.thalweg.cli.run;

import io.thalweg.model.deployment.DeploymentConfig;

/** The jobs that a deployment may have running side by side: each has a name in Flink and a folder of checkpoints of its own. */
enum JobKind {
    /** {@code thalweg run}. */
    RUN("", "", "./thalweg stop"),
    /** {@code thalweg publish}. */
    PUBLISH(" publish", "/publish", "./thalweg stop publish");

    private final String flinkSuffix;
    private final String folder;
    private final String stopCommand;

    JobKind(String flinkSuffix, String folder, String stopCommand) {
        this.flinkSuffix = flinkSuffix;
        this.folder = folder;
        this.stopCommand = stopCommand;
    }

    /**
     * A job of a deployment.
     *
     * @param name by which it is known on its cluster
     * @param checkpoints its own
     * @param stopCommand what ends it
     */
    record Job(String name, CheckpointFolder checkpoints, String stopCommand) {
        private static Job of(DeploymentConfig deploymentConfig, String suffix, String folder, String stopCommand) {
            String deployment = deploymentConfig.deployment();
            return new Job(
                    "thalweg " + deployment + suffix,
                    new CheckpointFolder(deploymentConfig.checkpoints().dir(), deployment + folder),
                    stopCommand);
        }
    }

    /** The job of this kind. */
    Job of(DeploymentConfig deploymentConfig) {
        return Job.of(deploymentConfig, flinkSuffix, folder, stopCommand);
    }

    /** The job of an ingest that reads a topic, in a process of its own: there is one for each definition. */
    static Job ingest(DeploymentConfig deploymentConfig, String ingest) {
        return Job.of(deploymentConfig, " ingest " + ingest, "/ingest/" + ingest, "Ctrl-C");
    }
}
