package io.thalweg.google.bigquery;

import com.google.auth.oauth2.GoogleCredentials;
import io.thalweg.warehouse.Lane;
import io.thalweg.warehouse.LaneCommit;
import io.thalweg.warehouse.LaneTable;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A connection to a table by the REST API. */
final class InsertAllTable implements LaneTable {
    private static final String GOOGLE = "https://bigquery.googleapis.com";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final BigQueryAddress address;
    private final URI uri;
    /** Null for a service of this machine. */
    private final @Nullable GoogleCredentials credentials;

    /** Sends again after a while what has failed. */
    private final ScheduledExecutorService timer = BigQueryTable.timer("bigquery-retry");

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    private InsertAllTable(BigQueryAddress address, URI uri, @Nullable GoogleCredentials credentials) {
        this.address = address;
        this.uri = uri;
        this.credentials = credentials;
    }

    static InsertAllTable open(BigQueryAddress address) {
        BigQueryAddress.Access access = address.access();
        try {
            String rest = access.restEndpoint();
            boolean local = rest != null && BigQueryTable.isOfThisMachine(rest);
            String base = rest == null ? GOOGLE : (local ? "http://" : "https://") + rest;
            return new InsertAllTable(
                    address,
                    URI.create(base + "/bigquery/v2/" + address.path() + "/insertAll"),
                    local ? null : credentials(access.credentials()));
        } catch (IOException e) {
            throw new WarehouseException("BigQuery cannot be reached: " + e.getMessage(), e);
        }
    }

    private static GoogleCredentials credentials(@Nullable String file) throws IOException {
        GoogleCredentials found =
                file == null ? GoogleCredentials.getApplicationDefault() : BigQueryTable.credentials(file);
        return found.createScoped(BigQueryTable.SCOPE);
    }

    String name() {
        return address.name();
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /** Sends a request; the answer is the service's, or an {@link IOException} if there is none. */
    CompletableFuture<HttpResponse<String>> send(byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(body));
        if (credentials != null) {
            try {
                Map<String, List<String>> headers = credentials.getRequestMetadata(uri);
                headers.forEach((name, values) -> values.forEach(value -> request.header(name, value)));
            } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    @Override
    public Lane lane() {
        return new InsertAllLane(this);
    }

    @Override
    public void commit(LaneCommit commit) {
        throw new IllegalStateException("rows are visible at once; there is nothing to commit to " + address.name());
    }

    @Override
    public void requireNothingBehind(LaneCommit end) {
        // Rows of earlier runs were not committed with checkpoints.
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
