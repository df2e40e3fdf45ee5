package io.thalweg.bench.ingest;

import com.google.cloud.bigquery.storage.v1.TableSchema;
import io.thalweg.bench.harness.ContestantOutput;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Score;
import io.thalweg.devkit.google.BigQueryFake;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/** The process that simulates BigQuery: it creates tables and reports on them, as each {@link Order} on its standard input requests. */
final class RideService {
    private static final String TIME_COLUMN = "ts";

    private RideService() {}

    /**
     * Creates a table if it does not exist, and reports on it.
     *
     * @param columns of the table, a {@link TableSchema}
     * @param timed whether its rows contain when they were made
     * @param skipMs after the first row, during which latencies do not count
     */
    record Order(String table, byte[] columns, boolean timed, long skipMs) {}

    /** Serves until its standard input ends. */
    public static void main(String[] args) {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ContestantOutput.endAfter(() -> {
            Set<String> tables = new HashSet<>();
            try (BigQueryFake service = BigQueryFake.start()) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Order order = Orders.read(line, Order.class);
                    if (tables.add(order.table())) {
                        service.createCountedTable(
                                order.table(),
                                TableSchema.parseFrom(order.columns()),
                                order.timed() ? TIME_COLUMN : "",
                                order.skipMs());
                    }
                    ContestantOutput.score(report(service, order.table()));
                }
            }
        });
    }

    private static Score report(BigQueryFake service, String table) {
        Figures figures = new Figures()
                .put("write_port", port(service.endpoint()))
                .put("rest_port", port(service.restEndpoint()))
                .put("rows", service.rowCount(table))
                .put("bytes", service.rowBytes(table))
                .put("hashes", service.rowHashes(table));
        if (service.latencyMs(table, 1) >= 0) {
            figures.put("latency_p50_ms", service.latencyMs(table, 0.5))
                    .put("latency_p99_ms", service.latencyMs(table, 0.99))
                    .put("latency_max_ms", service.latencyMs(table, 1));
        }
        return figures.score("");
    }

    private static long port(String endpoint) {
        return Long.parseLong(endpoint.substring(endpoint.indexOf(':') + 1));
    }
}
