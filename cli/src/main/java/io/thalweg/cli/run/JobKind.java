package io.thalweg.cli.run;

import io.thalweg.model.deployment.DeploymentConfig;

/** The jobs that a deployment may have running side by side: each has a name in Flink and a folder of checkpoints of its own. */
enum JobKind {
    /** {@code thalweg run}. */
    RUN("", "", "./thalweg stop"),
    /** {@code thalweg publish}. */
    PUBLISH(" publish", "/publish", "./thalweg stop publish"),
    /** {@code thalweg ingest} of a topic: a job for each definition. */
    INGEST(" ingest ", "/ingest/", "./thalweg stop ingest ");

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
     * @param folder of its checkpoints, below {@code checkpoints.dir}
     * @param stopCommand what ends it
     */
    record Job(String name, DeploymentConfig deploymentConfig, String folder, String stopCommand) {
        private static Job of(DeploymentConfig deploymentConfig, String suffix, String folder, String stopCommand) {
            String deployment = deploymentConfig.deployment();
            return new Job("thalweg " + deployment + suffix, deploymentConfig, deployment + folder, stopCommand);
        }

        /**
         * Its checkpoints.
         *
         * @throws io.thalweg.cli.UserError if this process has no file system for them
         */
        CheckpointFolder checkpoints() {
            return CheckpointFolder.of(deploymentConfig, folder);
        }
    }

    /** The job of this kind. Not for {@link #INGEST}, which has several. */
    Job of(DeploymentConfig deploymentConfig) {
        return of(deploymentConfig, "");
    }

    /**
     * A job of this kind.
     *
     * @param definition which one, by its qualified name; empty where there is one
     */
    Job of(DeploymentConfig deploymentConfig, String definition) {
        return Job.of(deploymentConfig, flinkSuffix + definition, folder + definition, stopCommand + definition);
    }
}
