package io.thalweg.tables.iceberg;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SessionCatalog.SessionContext;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.rest.HTTPClient;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.RESTSessionCatalog;
import org.apache.iceberg.rest.auth.OAuth2Properties;

/**
 * A table of any kind of catalog, and the resource to close with it.
 *
 * <p><b>Files.</b> Always accessed on this machine, whatever file system the catalog configures.
 */
record CatalogTable(Table table, Closeable catalog) implements Closeable {
    /** Properties of new tables: metadata files beyond the last 100 are deleted. */
    static final Map<String, String> NEW_TABLE =
            Map.of(TableProperties.FORMAT_VERSION, "2", TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");

    /**
     * Opens a table.
     *
     * @throws NoSuchTableException if there is none
     * @throws CatalogAwayException if the catalog cannot be reached
     */
    static CatalogTable open(TableAddress address) {
        if (address.catalog() instanceof CatalogAddress.Rest rest) {
            return inRest(rest, catalog -> catalog.loadTable(SessionContext.createEmpty(), id(address)));
        }
        return inFolder(FolderTable.open(folder(address), address.name()));
    }

    /**
     * Whether a table exists.
     *
     * @throws CatalogAwayException if the catalog cannot be reached
     */
    static boolean exists(TableAddress address) {
        try {
            open(address).close();
            return true;
        } catch (NoSuchTableException | NoSuchNamespaceException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a table, or creates it if there is none. */
    static CatalogTable openOrCreate(TableAddress address, Schema schema, PartitionSpec spec) {
        try {
            return open(address);
        } catch (NoSuchTableException | NoSuchNamespaceException e) {
            try {
                return create(address, schema, spec);
            } catch (AlreadyExistsException other) {
                return open(address); // another process was faster
            }
        }
    }

    private static CatalogTable create(TableAddress address, Schema schema, PartitionSpec spec) {
        if (address.catalog() instanceof CatalogAddress.Rest rest) {
            return inRest(rest, catalog -> {
                createNamespaces(catalog, id(address).namespace());
                return catalog.buildTable(SessionContext.createEmpty(), id(address), schema)
                        .withPartitionSpec(spec)
                        .withProperties(NEW_TABLE)
                        .create();
            });
        }
        return inFolder(FolderTable.create(folder(address), address.name(), schema, spec));
    }

    private static void createNamespaces(RESTSessionCatalog catalog, Namespace namespace) {
        for (int levels = 1; levels <= namespace.length(); levels++) {
            Namespace parent = Namespace.of(Arrays.copyOf(namespace.levels(), levels));
            try {
                if (!catalog.namespaceExists(SessionContext.createEmpty(), parent)) {
                    catalog.createNamespace(
                            SessionContext.createEmpty(),
                            parent,
                            Collections.emptyMap()); // Map.of rejects lookups of null
                }
            } catch (AlreadyExistsException e) {
                // Another process was faster.
            }
        }
    }

    private static CatalogTable inFolder(Table table) {
        return new CatalogTable(table, () -> {});
    }

    static Path folder(TableAddress address) {
        String root = ((CatalogAddress.Folder) address.catalog()).path();
        return Path.of(root, address.name().split("\\.", -1));
    }

    private static TableIdentifier id(TableAddress address) {
        return TableIdentifier.parse(address.name());
    }

    private interface InCatalog {
        Table open(RESTSessionCatalog catalog);
    }

    private static CatalogTable inRest(CatalogAddress.Rest address, InCatalog action) {
        RESTSessionCatalog catalog = new RESTSessionCatalog(
                config -> HTTPClient.builder(config).uri(address.uri()).build(),
                (context, config) -> new LocalFileIO());
        boolean opened = false;
        try {
            catalog.initialize(address.uri(), properties(address));
            Table table = action.open(catalog);
            opened = true;
            return new CatalogTable(table, catalog);
        } catch (RESTException e) {
            throw new CatalogAwayException(address, e);
        } finally {
            if (!opened) {
                closeQuietly(catalog);
            }
        }
    }

    private static Map<String, String> properties(CatalogAddress.Rest address) {
        Map<String, String> properties = new HashMap<>();
        properties.put(CatalogProperties.URI, address.uri());
        properties.put("rest.client.connection-timeout-ms", "10000");
        properties.put("rest.client.socket-timeout-ms", "60000");
        properties.put(RESTCatalogProperties.METRICS_REPORTING_ENABLED, "false");
        if (address.warehouse() != null) {
            properties.put(CatalogProperties.WAREHOUSE_LOCATION, address.warehouse());
        }
        if (address.token() != null) {
            properties.put(OAuth2Properties.TOKEN, address.token());
            properties.put(OAuth2Properties.TOKEN_REFRESH_ENABLED, "false");
        }
        return properties;
    }

    private static void closeQuietly(Closeable catalog) {
        try {
            catalog.close();
        } catch (IOException e) {
            // The caller reports why the table could not be opened.
        }
    }

    @Override
    public void close() throws IOException {
        catalog.close();
    }
}
