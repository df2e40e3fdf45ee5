package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
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
     * The job of a deployment.
     *
     * @param definition qualified name of the ingest; empty for other kinds
     */
    Job of(DeploymentConfig deploymentConfig, String definition) {
        if ((this == INGEST) == definition.isEmpty()) {
            throw this == INGEST
                    ? UserError.usage(
                            "which ingest? There is a job for each", "such as: thalweg stop ingest ride_events")
                    : UserError.usage(
                            "there is one job of kind %s, but a name is given: %s".formatted(text(), definition),
                            "leave the name out");
        }
        return new Job(
                "thalweg " + deploymentConfig.deployment() + flinkSuffix + definition,
                new CheckpointFolder(
                        deploymentConfig.checkpoints().dir(), deploymentConfig.deployment() + folder + definition),
                stopCommand + definition);
    }

    /** The only job of this kind. */
    Job of(DeploymentConfig deploymentConfig) {
        return of(deploymentConfig, "");
    }

    private String text() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /**
     * A job of a deployment.
     *
     * @param name by which it is known on its cluster
     * @param checkpoints its own
     * @param stopCommand what ends it on its cluster
     */
    record Job(String name, CheckpointFolder checkpoints, String stopCommand) {}
}
