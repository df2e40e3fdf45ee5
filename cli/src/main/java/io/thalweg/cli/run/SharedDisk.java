package io.thalweg.cli.run;

import io.thalweg.jobs.StatePath;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Warns of an embedded store and checkpoints on one disk, the default: the state from which lost rows would be computed is lost with them. */
final class SharedDisk {
    private SharedDisk() {}

    /** A line for people who run more than a trial; empty if the two are apart, or their disks are not known. */
    static Optional<String> warning(DeploymentConfig deployment) {
        StatePath checkpoints = StatePath.of(deployment.checkpoints().dir());
        if (!(deployment.store() instanceof DeploymentConfig.RocksDb store) || !checkpoints.isLocal()) {
            return Optional.empty();
        }
        try {
            return disk(store.path()).equals(disk(checkpoints.local()))
                    ? Optional.of(("the store %s and the checkpoints %s are on one disk: if it fails, both are lost;"
                                    + " set checkpoints.dir to another disk or to a bucket")
                            .formatted(store.path(), deployment.checkpoints().dir()))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // opening them will say why
        }
    }

    /** Where a folder is, or will be. */
    private static FileStore disk(Path folder) throws IOException {
        Path there = folder.toAbsolutePath().normalize();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return Files.getFileStore(there);
    }
}
