package io.thalweg.bench.ingest;

import com.google.cloud.bigquery.storage.v1.TableSchema;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Progress;
import io.thalweg.devkit.google.BigQueryFake;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A simulated BigQuery in its own process, whose tables count rows and hash them.
 *
 * <p><b>Threads.</b> One.
 */
record RideWarehouse(Processes.Running process, TableSchema columns, long skipMs) implements AutoCloseable {
    /** The table of warm-ups, which is not compared. */
    static final String WARM_UP = "warm_up";

    private static final String DATASET = "bench-project.rides.";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Starts the process.
     *
     * @param columns of all tables
     * @param skipMs after the first row, during which latencies do not count
     */
    public static RideWarehouse start(Progress progress, TableSchema columns, long skipMs) throws IOException {
        Child.Program service = Child.Program.of(RideService.class, "-Xmx2g");
        return new RideWarehouse(new Processes(progress, PATIENCE).start("bigquery", service), columns, skipMs);
    }

    /** Returns {@code project.dataset.table} of a table. */
    static String qualified(String table) {
        return DATASET + table;
    }

    /**
     * Creates a table.
     *
     * @param timed whether its rows contain when they were made
     * @return its address: {@code host:port} of the write API and, separated by a blank, of the REST API
     */
    public String create(String table, boolean timed) throws IOException, InterruptedException {
        Figures made = ask(table, timed);
        return "localhost:%s localhost:%s".formatted(made.get("write_port"), made.get("rest_port"));
    }

    private Figures ask(String table, boolean timed) throws IOException, InterruptedException {
        RideService.Order order = new RideService.Order(qualified(table), columns.toByteArray(), timed, skipMs);
        return new Figures().putAll(process.ask(order).figures());
    }

    /**
     * The contents of a table.
     *
     * @param latency from when rows were made until they were visible; empty if the table is not timed
     */
    public record Report(TableDigest digest, Map<String, Number> latency) {}

    /** Reports on a table that was created. */
    public Report report(String table) throws IOException, InterruptedException {
        Figures found = ask(table, false);
        TableDigest digest = new TableDigest(
                0,
                found.get("bytes").longValue(),
                found.get("rows").longValue(),
                found.get("hashes").longValue());
        Map<String, Number> latency = found.asMap();
        latency.keySet().removeIf(name -> !name.startsWith("latency_"));
        return new Report(digest, latency);
    }

    @Override
    public void close() throws IOException {
        process.close();
    }

    /** The process that simulates BigQuery: it creates tables and reports on them, as each {@link Order} on its standard input requests. */
    static final class RideService {
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
            Messages.endAfter(() -> {
                Set<String> tables = new HashSet<>();
                try (BigQueryFake service = BigQueryFake.start()) {
                    Messages.answer(Order.class, order -> {
                        if (tables.add(order.table())) {
                            String timeColumn = order.timed() ? TIME_COLUMN : "";
                            TableSchema columns = TableSchema.parseFrom(order.columns());
                            service.createCountedTable(order.table(), columns, timeColumn, order.skipMs());
                        }
                        return report(service, order.table());
                    });
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
}
