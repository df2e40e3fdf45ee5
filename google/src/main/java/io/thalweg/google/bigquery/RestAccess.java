package io.thalweg.google.bigquery;

import com.google.auth.oauth2.GoogleCredentials;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * How BigQuery's REST API is reached.
 *
 * @param base ends with a slash
 * @param credentials null for a service of this machine
 */
record RestAccess(URI base, @Nullable GoogleCredentials credentials) {
    private static final String GOOGLE = "https://bigquery.googleapis.com";

    /**
     * By the configuration.
     *
     * @throws WarehouseException if there are no credentials
     */
    static RestAccess of(BigQueryAddress.Access access) {
        try {
            String rest = access.restEndpoint();
            boolean local = rest != null && BigQueryTable.isOfThisMachine(rest);
            String host = rest == null ? GOOGLE : (local ? "http://" : "https://") + rest;
            return new RestAccess(URI.create(host + "/bigquery/v2/"), local ? null : credentials(access.credentials()));
        } catch (IOException e) {
            throw new WarehouseException("BigQuery cannot be reached: " + e.getMessage(), e);
        }
    }

    private static GoogleCredentials credentials(@Nullable String file) throws IOException {
        GoogleCredentials found =
                file == null ? GoogleCredentials.getApplicationDefault() : BigQueryTable.credentials(file);
        return found.createScoped(BigQueryTable.SCOPE);
    }

    /** Adds the address of a path, and the credentials. */
    HttpRequest.Builder addressed(HttpRequest.Builder request, String path) throws IOException {
        URI uri = base.resolve(path);
        if (credentials != null) {
            credentials
                    .getRequestMetadata(uri)
                    .forEach((name, values) -> values.forEach(value -> request.header(name, value)));
        }
        return request.uri(uri);
    }
}
