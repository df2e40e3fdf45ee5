package io.thalweg.runner;

import io.thalweg.jobs.StatePath;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of an embedded store and checkpoints on one disk, which is the default: if the disk fails, the state to recompute lost
 * rows from is lost with them.
 */
final class SharedDisk {
    private static final Logger LOG = LoggerFactory.getLogger(SharedDisk.class);

    private SharedDisk() {}

    /** Logs the warning. Call this once both folders exist. */
    static void warn(DeploymentConfig deployment) {
        warning(deployment).ifPresent(LOG::warn);
    }

    /** Returns the warning; empty if the two are on different disks, or the disks are unknown. */
    static Optional<String> warning(DeploymentConfig deployment) {
        StatePath checkpoints = StatePath.of(deployment.checkpoints().dir());
        if (!(deployment.store() instanceof DeploymentConfig.RocksDb store) || !checkpoints.isLocal()) {
            return Optional.empty();
        }
        try {
            return Files.getFileStore(store.path()).equals(Files.getFileStore(checkpoints.local()))
                    ? Optional.of(("the store %s and the checkpoints %s are on one disk: if it fails, both are lost;"
                                    + " set checkpoints.dir to another disk or to a bucket")
                            .formatted(store.path(), deployment.checkpoints().dir()))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // whatever opens the folder reports the error
        }
    }
}
