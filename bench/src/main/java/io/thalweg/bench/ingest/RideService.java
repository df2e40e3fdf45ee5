package io.thalweg.bench.ingest;

import com.google.cloud.bigquery.storage.v1.TableSchema;
import io.thalweg.devkit.google.BigQueryFake;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The process that stands for BigQuery: says where it listens, makes tables and reports on them, and ends with its standard input. */
public final class RideService {
    static final String LISTENS = "listens ";
    static final String REPORT = "report ";
    static final String TABLE = "table ";
    /** With {@link #TABLE}: rows tell when they were made. */
    static final String TIMED = "timed ";

    private static final String TIME_COLUMN = "ts";

    private final BigQueryFake service;
    private final TableSchema columns;
    private final long skipMs;

    private RideService(BigQueryFake service, TableSchema columns, long skipMs) {
        this.service = service;
        this.columns = columns;
        this.skipMs = skipMs;
    }

    /** Serves; the arguments are the columns of all tables, and for how long at first latencies do not count. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws IOException {
        TableSchema columns = TableSchema.parseFrom(Base64.getDecoder().decode(args[0]));
        try (BigQueryFake fake = BigQueryFake.start();
                BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            RideService service = new RideService(fake, columns, Long.parseLong(args[1]));
            System.out.println(LISTENS + fake.endpoint() + " " + fake.restEndpoint());
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                System.out.println(service.obey(order));
            }
        }
    }

    /** The answer to an order. */
    private String obey(String order) {
        if (order.startsWith(REPORT)) {
            return REPORT + report(order.substring(REPORT.length()));
        }
        boolean timed = order.startsWith(TIMED);
        String name = order.substring(timed ? TIMED.length() : TABLE.length());
        service.createCountedTable(name, columns, timed ? TIME_COLUMN : "", skipMs);
        return TABLE + name;
    }

    /** Rows, bytes, hashes, and how long rows took at the median, the 99th percentile and at most. */
    private String report(String table) {
        return "%d %d %d %d %d %d"
                .formatted(
                        service.rowCount(table),
                        service.rowBytes(table),
                        service.rowHashes(table),
                        service.latencyMs(table, 0.5),
                        service.latencyMs(table, 0.99),
                        service.latencyMs(table, 1));
    }
}
