package io.thalweg.cli;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.runner.UserError;
import java.nio.file.Path;

/** The folder of the embedded store that {@code thalweg.yaml} names. */
final class EmbeddedStore {
    private EmbeddedStore() {}

    /**
     * Returns the folder.
     *
     * @throws UserError if the deployment uses another kind of store
     */
    static Path folder(DeploymentConfig config) {
        if (config.store() instanceof DeploymentConfig.RocksDb rocks) {
            return rocks.path();
        }
        throw UserError.usage(
                "only the embedded store is backed up by Thalweg, store.type is "
                        + config.store().type(),
                "docs/guides/deploy.md describes the backups of Redis and Cassandra");
    }
}
