package io.thalweg.bench.ingest;

import com.google.cloud.bigquery.storage.v1.TableSchema;
import io.thalweg.bench.harness.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A stand-in for BigQuery in a process of its own, whose tables count rows and hash them.
 *
 * <p><b>Threads.</b> One.
 */
public final class RideWarehouse implements AutoCloseable {
    /** The table of warm-ups, which is not compared. */
    static final String WARM_UP = "warm_up";

    private static final String DATASET = "bench-project.rides.";
    private static final int PATIENCE_SECONDS = 60;

    private final Child process;
    private final BlockingQueue<String> answers;
    private final String endpoint;

    private RideWarehouse(Child process, BlockingQueue<String> answers) throws InterruptedException {
        this.process = process;
        this.answers = answers;
        endpoint = answer(RideService.LISTENS);
    }

    /**
     * Starts it.
     *
     * @param folder for the errors of the process
     * @param columns of all tables
     * @param skipMs from the first row on, for which latencies do not count
     */
    public static RideWarehouse start(Path folder, TableSchema columns, long skipMs)
            throws IOException, InterruptedException {
        BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        Child process = Child.java(
                "bigquery",
                folder,
                List.of("-Xmx2g", "-XX:+UseParallelGC"),
                RideService.class,
                List.of(Base64.getEncoder().encodeToString(columns.toByteArray()), String.valueOf(skipMs)),
                answers::add);
        try {
            RideWarehouse warehouse = new RideWarehouse(process, answers);
            warehouse.create(WARM_UP, false);
            return warehouse;
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    /** {@code project.dataset.table} of a table. */
    static String qualified(String table) {
        return DATASET + table;
    }

    /** Where it listens: {@code host:port} of the write API and, behind a blank, of the REST API. */
    public String endpoint() {
        return endpoint;
    }

    /** Makes a table; if it is timed, its rows tell when they were made. */
    public void create(String table, boolean timed) throws IOException, InterruptedException {
        process.tell((timed ? RideService.TIMED : RideService.TABLE) + qualified(table));
        var unused = answer(RideService.TABLE);
    }

    /**
     * What a table holds.
     *
     * @param latency from when rows were made until they were visible; empty if the table is not timed
     */
    public record Report(TableDigest digest, Map<String, Long> latency) {}

    /** Reports on a table. */
    public Report report(String table) throws IOException, InterruptedException {
        process.tell(RideService.REPORT + qualified(table));
        long[] numbers = Stream.of(answer(RideService.REPORT).split(" ", -1))
                .mapToLong(Long::parseLong)
                .toArray();
        Map<String, Long> latency = new LinkedHashMap<>();
        if (numbers[3] >= 0) {
            latency.put("latency_p50_ms", numbers[3]);
            latency.put("latency_p99_ms", numbers[4]);
            latency.put("latency_max_ms", numbers[5]);
        }
        return new Report(new TableDigest(0, numbers[1], numbers[0], numbers[2]), latency);
    }

    private String answer(String kind) throws InterruptedException {
        String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer == null || !answer.startsWith(kind)) {
            throw new IllegalStateException("the service answers '%s' instead of '%s': %s"
                    .formatted(String.valueOf(answer), kind, process.said()));
        }
        return answer.substring(kind.length());
    }

    @Override
    public void close() {
        process.close();
    }
}
