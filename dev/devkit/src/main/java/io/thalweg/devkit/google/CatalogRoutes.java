package io.thalweg.devkit.google;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.cloud.bigquery.storage.v1.TableFieldSchema;
import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Serves datasets and tables of the REST API: looks them up and creates them.
 *
 * <p><b>Threads.</b> Safe.
 */
final class CatalogRoutes implements HttpHandler {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Set<String> datasets = ConcurrentHashMap.newKeySet();
    private final BigQueryFaults faults;
    private final Predicate<String> hasTable;
    private final BiConsumer<String, TableSchema> create;

    /**
     * Creates routes to tables.
     *
     * @param hasTable whether a table of this path exists
     * @param create creates a table of this path
     */
    CatalogRoutes(BigQueryFaults faults, Predicate<String> hasTable, BiConsumer<String, TableSchema> create) {
        this.faults = faults;
        this.hasTable = hasTable;
        this.create = create;
    }

    private record Answer(int status, String text) {}

    /** Creates the dataset of a table. */
    void addDatasetOf(String tablePath) {
        datasets.add(tablePath.substring(0, tablePath.indexOf("/tables/")));
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath().substring("/bigquery/v2/".length());
            Answer answer = answer(
                    exchange.getRequestMethod(), path, exchange.getRequestBody().readAllBytes());
            byte[] bytes = JSON.createObjectNode()
                    .put("message", answer.text())
                    .toString()
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private Answer answer(String method, String path, byte[] body) throws IOException {
        if (faults.beforeRequest() != null) {
            return new Answer(503, "the service is away");
        }
        return method.equals("GET") ? find(path) : make(path, JSON.readTree(body));
    }

    private Answer find(String path) {
        boolean there = path.contains("/tables/") ? hasTable.test(path) : datasets.contains(path);
        return there ? new Answer(200, path) : new Answer(404, "Not found: " + path);
    }

    private synchronized Answer make(String collection, JsonNode body) {
        if (collection.endsWith("/datasets")) {
            String dataset = collection + "/"
                    + body.path("datasetReference").path("datasetId").asText();
            return datasets.add(dataset) ? new Answer(200, dataset) : new Answer(409, "Already Exists: " + dataset);
        }
        String dataset = collection.replaceFirst("/tables$", "");
        String table =
                collection + "/" + body.path("tableReference").path("tableId").asText();
        if (!datasets.contains(dataset)) {
            return new Answer(404, "Not found: " + dataset);
        }
        if (hasTable.test(table)) {
            return new Answer(409, "Already Exists: " + table);
        }
        TableSchema.Builder schema = TableSchema.newBuilder();
        body.path("schema").path("fields").forEach(field -> schema.addFields(field(field)));
        create.accept(table, schema.build());
        return new Answer(200, table);
    }

    private static TableFieldSchema field(JsonNode field) {
        TableFieldSchema.Builder column = TableFieldSchema.newBuilder()
                .setName(field.path("name").asText())
                .setMode(TableFieldSchema.Mode.valueOf(field.path("mode").asText("NULLABLE")))
                .setType(type(field.path("type").asText()));
        field.path("fields").forEach(nested -> column.addFields(field(nested)));
        return column.build();
    }

    /** The API takes the names of both SQL dialects. */
    private static TableFieldSchema.Type type(String name) {
        return switch (name) {
            case "INTEGER" -> TableFieldSchema.Type.INT64;
            case "FLOAT", "FLOAT64" -> TableFieldSchema.Type.DOUBLE;
            case "BOOLEAN" -> TableFieldSchema.Type.BOOL;
            case "RECORD" -> TableFieldSchema.Type.STRUCT;
            default -> TableFieldSchema.Type.valueOf(name);
        };
    }
}
