package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;

/** The kinds of jobs that a deployment may run at the same time. Each has its own name in Flink and its own folder of checkpoints. */
public enum JobKind {
    /** {@code thalweg run}. */
    RUN("", "", Invocation.name() + " stop"),
    /** {@code thalweg publish}. */
    PUBLISH(" publish", "/publish", Invocation.name() + " stop publish"),
    /** {@code thalweg ingest} of a topic: a job for each definition. */
    INGEST(" ingest ", "/ingest/", Invocation.name() + " stop ingest ");

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
     * @param name the name of the job on its cluster
     * @param folder the folder of its checkpoints below {@code checkpoints.dir}
     * @param stopCommand the command that stops it
     */
    record Job(String name, DeploymentConfig deploymentConfig, String folder, String stopCommand) {
        private static Job of(DeploymentConfig deploymentConfig, String suffix, String folder, String stopCommand) {
            String deployment = deploymentConfig.deployment();
            return new Job("thalweg " + deployment + suffix, deploymentConfig, deployment + folder, stopCommand);
        }

        /**
         * Returns the folder of its checkpoints.
         *
         * @throws io.thalweg.runner.UserError if this process has no file system for them
         */
        CheckpointFolder checkpoints() {
            return CheckpointFolder.of(deploymentConfig, folder);
        }
    }

    /** Returns the job of this kind. Not for {@link #INGEST}, which has several. */
    Job of(DeploymentConfig deploymentConfig) {
        return of(deploymentConfig, "");
    }

    /**
     * Returns a job of this kind.
     *
     * @param definition the qualified name of its definition; empty if there is only one job of the kind
     */
    Job of(DeploymentConfig deploymentConfig, String definition) {
        return Job.of(deploymentConfig, flinkSuffix + definition, folder + definition, stopCommand + definition);
    }
}
