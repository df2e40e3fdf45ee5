package io.thalweg.google.bigquery;

import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.StreamTable;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** A connection to a table through the REST API. */
final class InsertAllTable implements StreamTable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final BigQueryAddress address;
    private final RestAccess service;

    /** Schedules retries. */
    private final ScheduledExecutorService timer = BigQueryTable.timer("bigquery-retry");

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    private InsertAllTable(BigQueryAddress address, RestAccess service) {
        this.address = address;
        this.service = service;
    }

    static InsertAllTable open(BigQueryAddress address) {
        return new InsertAllTable(address, RestAccess.of(address.access()));
    }

    String name() {
        return address.name();
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /** Sends a request; completes with the service's response, or with an {@link IOException} if there is none. */
    CompletableFuture<HttpResponse<String>> send(byte[] body) {
        try {
            HttpRequest request = service.addressed(HttpRequest.newBuilder(), address.path() + "/insertAll")
                    .timeout(PATIENCE)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofByteArray(body))
                    .build();
            return client.sendAsync(request, BodyHandlers.ofString());
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public RowStream stream(Consumer<RetryCause> retried) {
        return new InsertAllStream(this, retried);
    }

    @Override
    public void commit(StreamCommit commit) {
        throw new IllegalStateException("rows are visible at once; there is nothing to commit to " + address.name());
    }

    @Override
    public void requireNothingBehind(StreamCommit end) {
        // Rows of earlier runs were not committed with checkpoints.
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
