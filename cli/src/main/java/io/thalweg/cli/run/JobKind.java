package io.thalweg.cli.run;

import io.thalweg.model.Surroundings;

/** The jobs that a deployment may have running side by side: each has a name in Flink and a folder of checkpoints of its own. */
enum JobKind {
    /** {@code thalweg run}. */
    RUN,
    /** {@code thalweg publish}. */
    PUBLISH;

    /** The name by which a deployment's job is known on its cluster. */
    String flinkName(Surroundings surroundings) {
        String deployment = "thalweg " + surroundings.deployment();
        return this == RUN ? deployment : deployment + " publish";
    }

    CheckpointFolder checkpoints(Surroundings surroundings) {
        String deployment = surroundings.deployment();
        return new CheckpointFolder(
                surroundings.checkpoints().dir(), this == RUN ? deployment : deployment + "/publish");
    }
}
