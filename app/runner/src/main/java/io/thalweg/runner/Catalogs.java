package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.CatalogAwayException;
import io.thalweg.tables.iceberg.TableAddress;
import java.nio.file.Path;

/** The catalogs of tables that {@code thalweg.yaml} names. */
final class Catalogs {
    private Catalogs() {}

    /**
     * Returns the address of a table.
     *
     * @throws UserError if there is no such catalog
     */
    static TableAddress address(String catalog, String table, DeploymentConfig deploymentConfig) {
        DeploymentConfig.Catalog known = deploymentConfig.catalogs().get(catalog);
        if (known == null) {
            throw UserError.usage(
                    "catalog '%s' is not in thalweg.yaml".formatted(catalog),
                    "add catalogs: {%s: {folder: warehouse}}; there are: %s"
                            .formatted(
                                    catalog,
                                    String.join(
                                            ", ", deploymentConfig.catalogs().keySet())));
        }
        return new TableAddress(address(known), table);
    }

    private static CatalogAddress address(DeploymentConfig.Catalog catalog) {
        if (catalog instanceof DeploymentConfig.RestCatalog rest) {
            return new CatalogAddress.Rest(rest.rest().toString(), rest.warehouse(), rest.token());
        }
        Path folder = ((DeploymentConfig.FolderCatalog) catalog).folder();
        return new CatalogAddress.Folder(folder.toAbsolutePath().normalize().toString());
    }

    /** Requires that the folder of a catalog can be written, if it is one. */
    static void requireWritable(String catalog, TableAddress table) {
        if (table.catalog() instanceof CatalogAddress.Folder folder) {
            WritableTargets.requireFolder("catalogs." + catalog, Path.of(folder.path()));
        }
    }

    /** Creates the error for a catalog that cannot be reached. */
    static UserError away(String catalog, CatalogAwayException e) {
        return UserError.failed(
                        String.valueOf(e.getMessage()),
                        "is it running? See catalogs.%s in thalweg.yaml".formatted(catalog))
                .causedBy(e);
    }
}
