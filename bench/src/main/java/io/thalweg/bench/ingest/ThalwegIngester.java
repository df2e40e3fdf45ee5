package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.ingest.Ingester.IngestOrder;
import io.thalweg.bench.ingest.TableDigest.DataFiles;
import io.thalweg.google.bigquery.BigQueryAddress;
import io.thalweg.google.bigquery.InsertAllAddress;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.ingest.IngestJob;
import io.thalweg.jobs.ingest.RecordInput;
import io.thalweg.jobs.ingest.RowOutput;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.account.IngestTotals;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.kafka.TopicRead;
import io.thalweg.jobs.kafka.cluster.TopicEnds;
import io.thalweg.jobs.stream.StreamAccount;
import io.thalweg.jobs.stream.StreamSpec;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.warehouse.StreamAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Thalweg: the ingest job of {@code thalweg ingest}, with checkpoints; a topic is read to its end. */
final class ThalwegIngester implements Ingester {
    private static final long LOOK_MS = 100;
    private static final long STOP_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final IngestOrder order;
    private final Map<String, String> cluster;
    private Map<String, Number> figures = Map.of();

    ThalwegIngester(IngestOrder order) {
        this.order = order;
        cluster = Map.of("bootstrap.servers", order.bootstrap());
    }

    @Override
    public void ingest(String input, Path output) throws Exception {
        if (order.variant().fromTopic) {
            ingestUntil(TopicEnds.lastRecords(input, cluster, 0), input, output);
            return;
        }
        String id = UUID.randomUUID().toString();
        environment(id, input, output).execute("rides");
        requireGood(id);
    }

    @Override
    public Map<String, Number> figures() {
        return figures;
    }

    @Override
    public void follow(String topic, long count, Path output) throws Exception {
        ingestUntil(Map.of(0, count - 1), topic, output);
    }

    /** Stops the job as {@code thalweg ingest --once} does: with a savepoint when all messages have been read. */
    private void ingestUntil(Map<Integer, Long> last, String topic, Path output) throws Exception {
        String id = UUID.randomUUID().toString();
        IngestJobAccount counts = IngestJobAccount.of(id);
        try (StreamWatch streams = new StreamWatch(id)) {
            JobClient job = environment(id, topic, output).executeAsync("rides");
            while (!counts.hasPassed(last)) {
                if (job.getJobStatus().get().isGloballyTerminalState()) {
                    job.getJobExecutionResult().get(); // throws the cause of the failure
                }
                Thread.sleep(LOOK_MS);
            }
            stop(job);
            if (order.variant().intoBigQuery()) {
                figures = streams.figures();
            }
        }
        requireGood(id);
    }

    /** Retries while tasks still start: on a busy machine, a few messages are read before the last task runs. */
    private void stop(JobClient job) throws InterruptedException, ExecutionException {
        long deadline = System.nanoTime() + STOP_NANOS;
        while (true) {
            try {
                var unused = job.stopWithSavepoint(
                                false, Folders.temporary().toUri().toString(), SavepointFormatType.NATIVE)
                        .get();
                return;
            } catch (ExecutionException e) {
                if (job.getJobStatus().get().isGloballyTerminalState() || System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(LOOK_MS);
            }
        }
    }

    private StreamExecutionEnvironment environment(String id, String input, Path output) throws IOException {
        IngestPlan plan = new RideMessages(order.schemas(), order.variant(), false).plan(source(input), sink(output));
        Ingest ingest = plan.ingest();
        StreamExecutionEnvironment environment = EmbeddedFlink.ending(
                order.parallelism(),
                StatePath.of(Folders.temporary().resolve("checkpoints-" + id)),
                ingest.sink().every().duration(),
                null);
        new IngestJob(
                        id,
                        plan,
                        input(input),
                        output(ingest.sink(), output, id),
                        new FileDeadLetters(
                                Folders.temporary().resolve("dead.jsonl").toString()))
                .addTo(environment);
        return environment;
    }

    private static void requireGood(String id) {
        IngestTotals totals = IngestJobAccount.of(id).total();
        if (totals.get(Count.BAD) > 0) {
            throw new IllegalStateException("bad messages: " + totals.badByReason());
        }
    }

    private String source(String input) {
        return order.variant().fromTopic ? "topic: " + input : "files: \"" + input + "\"";
    }

    private String sink(Path output) {
        return switch (order.variant().target) {
            case PARQUET -> "parquet: \"" + output + "\"";
            case ICEBERG -> "iceberg: " + DataFiles.ICEBERG.replace('/', '.');
            case BIGQUERY -> "bigquery: %s, %s".formatted(IngestOrder.table(output), order.variant().sink);
        };
    }

    private RecordInput input(String input) throws IOException {
        if (!order.variant().fromTopic) {
            Path file = Path.of(input);
            return new RecordInput.OfFiles(List.of(new IngestFile(input, Framing.LENGTH_PREFIXED, Files.size(file))));
        }
        return new RecordInput.OfTopic(
                "default", TopicRead.of(input, Kafka.Reader.BATCHES, cluster, "thalweg", 0), false);
    }

    private RowOutput output(Ingest.Sink sink, Path output, String id) {
        if (sink instanceof Ingest.BigQuerySink bigQuery) {
            return streams(bigQuery);
        }
        return sink instanceof Ingest.IcebergSink iceberg
                ? new RowOutput.ToTable(
                        iceberg,
                        new TableAddress(new CatalogAddress.Folder(output.toString()), iceberg.table()),
                        "bench",
                        id)
                : new RowOutput.ToFiles((Ingest.ParquetSink) sink, "rides-" + id);
    }

    private RowOutput streams(Ingest.BigQuerySink sink) {
        String[] name = sink.table().split("\\.", 3);
        String[] endpoints = order.service().split(" ", -1);
        BigQueryAddress storage = new BigQueryAddress(
                name[0],
                name[1],
                name[2],
                sink.exactlyOnce(),
                new BigQueryAddress.Access(null, endpoints[0], endpoints[1]));
        StreamAddress table = sink.insertAll() ? new InsertAllAddress(storage) : storage;
        int least = Math.max(1, sink.writers());
        return new RowOutput.ToStreams(
                table,
                sink.linger().duration(),
                new StreamSpec.Writers(least, sink.writers() > 0 ? least : sink.maxWriters()));
    }

    /** Samples the streams of a job from time to time, until it is closed. */
    static final class StreamWatch implements AutoCloseable {
        private static final long LOOK_MS = 100;

        private final StreamAccount streams;
        private final ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
        private final IntSummaryStatistics seen = new IntSummaryStatistics();

        /** Starts to sample the streams of a job. */
        StreamWatch(String jobId) {
            streams = StreamAccount.of(jobId);
            var unused = looks.scheduleWithFixedDelay(this::look, 0, LOOK_MS, TimeUnit.MILLISECONDS);
        }

        private synchronized void look() {
            int now = streams.streams();
            if (now > 0) {
                seen.accept(now);
            }
        }

        /** The number of streams, and of requests that were sent again. */
        synchronized Map<String, Number> figures() {
            Map<String, Number> figures = new LinkedHashMap<>();
            figures.put("lanes_most", Math.max(0, seen.getMax()));
            figures.put("lanes_mean", seen.getAverage());
            figures.put("retries", streams.total().retries());
            return figures;
        }

        @Override
        public void close() {
            looks.shutdownNow();
        }
    }
}
