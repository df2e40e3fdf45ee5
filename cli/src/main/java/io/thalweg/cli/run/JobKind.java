package io.thalweg.cli.run;

import io.thalweg.model.deployment.DeploymentConfig;

/** The jobs that a deployment may have running side by side: each has a name in Flink and a folder of checkpoints of its own. */
enum JobKind {
    /** {@code thalweg run}. */
    RUN,
    /** {@code thalweg publish}. */
    PUBLISH;

    /** The name by which a deployment's job is known on its cluster. */
    String flinkName(DeploymentConfig deploymentConfig) {
        String deployment = "thalweg " + deploymentConfig.deployment();
        return this == RUN ? deployment : deployment + " publish";
    }

    CheckpointFolder checkpoints(DeploymentConfig deploymentConfig) {
        String deployment = deploymentConfig.deployment();
        return new CheckpointFolder(
                deploymentConfig.checkpoints().dir(), this == RUN ? deployment : deployment + "/publish");
    }
}
