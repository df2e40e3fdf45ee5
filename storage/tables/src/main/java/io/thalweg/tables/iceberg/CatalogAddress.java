package io.thalweg.tables.iceberg;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** The address of a catalog of tables: a value that is serialized with a job. */
public sealed interface CatalogAddress extends Serializable {
    /** The location for messages; without secrets. */
    String text();

    /**
     * A folder of this machine, with a folder for each namespace and table.
     *
     * @param path absolute
     */
    record Folder(String path) implements CatalogAddress {
        @Override
        public String text() {
            return path;
        }
    }

    /**
     * A service that speaks Iceberg's REST protocol.
     *
     * @param uri of the service, such as {@code http://localhost:8181}
     * @param warehouse which of the service's warehouses; null = its only one
     * @param token a bearer token; null = none
     */
    record Rest(
            String uri,
            @Nullable String warehouse,
            @Nullable String token) implements CatalogAddress {
        @Override
        public String text() {
            return "the catalog at " + uri;
        }

        /** Without the token. */
        @Override
        public String toString() {
            return text();
        }
    }
}
