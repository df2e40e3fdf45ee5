package io.thalweg.google.bigquery;

import io.thalweg.records.schema.Struct;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Creates the dataset and the table of an address with BigQuery's REST API. Existing ones are left unchanged.
 *
 * <p><b>Errors.</b> {@link WarehouseException} if the service cannot be reached or refuses; the message contains its
 * answer.
 *
 * <p><b>Threads.</b> One.
 */
public final class BigQueryCatalog {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final BigQueryAddress address;
    private final RestAccess service;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** Creates a catalog that connects on first use. */
    public BigQueryCatalog(BigQueryAddress address) {
        this.address = address;
        service = RestAccess.of(address.access());
    }

    /** Creates the dataset in the service's default location; returns whether it was missing. */
    public boolean createDataset() {
        return create(
                "projects/%s/datasets".formatted(address.project()),
                address.dataset(),
                "{\"datasetReference\":{\"projectId\":\"%s\",\"datasetId\":\"%s\"}}"
                        .formatted(address.project(), address.dataset()));
    }

    /**
     * Creates the table in its dataset; returns whether it was missing.
     *
     * @throws io.thalweg.records.schema.SchemaException if BigQuery has no columns for such rows
     */
    public boolean createTable(Struct rows) {
        return create(
                "projects/%s/datasets/%s/tables".formatted(address.project(), address.dataset()),
                address.table(),
                "{\"tableReference\":{\"projectId\":\"%s\",\"datasetId\":\"%s\",\"tableId\":\"%s\"},\"schema\":{\"fields\":%s}}"
                        .formatted(
                                address.project(),
                                address.dataset(),
                                address.table(),
                                RestColumn.json(RestColumn.of(rows))));
    }

    private boolean create(String collection, String name, String body) {
        HttpResponse<String> found =
                send(collection + "/" + name, HttpRequest.newBuilder().GET());
        if (found.statusCode() == OK) {
            return false;
        }
        if (found.statusCode() != NOT_FOUND) {
            throw refused("looked up", name, found);
        }
        HttpResponse<String> made = send(collection, HttpRequest.newBuilder().POST(BodyPublishers.ofString(body)));
        if (made.statusCode() != OK && made.statusCode() != CONFLICT) { // a conflict: another process was faster
            throw refused("created", name, made);
        }
        return made.statusCode() == OK;
    }

    private WarehouseException refused(String what, String name, HttpResponse<String> answer) {
        return new WarehouseException(
                "%s of BigQuery could not be %s for %s: status %d: %s"
                        .formatted(
                                name,
                                what,
                                address.name(),
                                answer.statusCode(),
                                answer.body().strip()),
                null);
    }

    private HttpResponse<String> send(String path, HttpRequest.Builder request) {
        try {
            return client.send(
                    service.addressed(request, path)
                            .timeout(PATIENCE)
                            .header("Content-Type", "application/json")
                            .build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new WarehouseException("BigQuery cannot be reached: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WarehouseException("interrupted while BigQuery answers", e);
        }
    }
}
