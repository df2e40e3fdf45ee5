package io.thalweg.bench.ingest;

import com.google.cloud.bigquery.storage.v1.TableSchema;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Progress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A simulated BigQuery in its own process, whose tables count rows and hash them.
 *
 * <p><b>Threads.</b> One.
 */
public final class RideWarehouse implements AutoCloseable {
    /** The table of warm-ups, which is not compared. */
    static final String WARM_UP = "warm_up";

    private static final String DATASET = "bench-project.rides.";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Processes.Running process;
    private final TableSchema columns;
    private final long skipMs;

    private RideWarehouse(Processes.Running process, TableSchema columns, long skipMs) {
        this.process = process;
        this.columns = columns;
        this.skipMs = skipMs;
    }

    /**
     * Starts the process.
     *
     * @param columns of all tables
     * @param skipMs after the first row, during which latencies do not count
     */
    public static RideWarehouse start(Progress progress, TableSchema columns, long skipMs) throws IOException {
        Processes.Entry service = new Processes.Entry("bigquery", List.of("-Xmx2g"), RideService.class);
        return new RideWarehouse(new Processes(progress, PATIENCE).start(service), columns, skipMs);
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
}
