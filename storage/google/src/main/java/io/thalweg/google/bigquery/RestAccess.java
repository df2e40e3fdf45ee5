package io.thalweg.google.bigquery;

import com.google.api.gax.core.GoogleCredentialsProvider;
import com.google.auth.Credentials;
import io.thalweg.google.GoogleAccess;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The access to BigQuery's REST API.
 *
 * @param base ends with a slash
 * @param credentials null for a service of this machine
 */
record RestAccess(URI base, @Nullable Credentials credentials) {
    private static final String GOOGLE = "https://bigquery.googleapis.com";

    /**
     * Creates the access from the configuration.
     *
     * @throws WarehouseException if there are no credentials
     */
    static RestAccess of(BigQueryAddress.Access access) {
        GoogleAccess service = access.rest();
        String host = service.endpoint() == null
                ? GOOGLE
                : (service.isEmulator() ? "http://" : "https://") + service.endpoint();
        try {
            return new RestAccess(URI.create(host + "/bigquery/v2/"), credentials(service));
        } catch (IOException e) {
            throw new WarehouseException("BigQuery cannot be reached: " + e.getMessage(), e);
        }
    }

    private static @Nullable Credentials credentials(GoogleAccess service) throws IOException {
        GoogleCredentialsProvider environment = GoogleCredentialsProvider.newBuilder()
                .setScopesToApply(List.of(BigQueryTable.SCOPE))
                .build();
        return service.credentials(BigQueryTable.SCOPE, environment).getCredentials();
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
