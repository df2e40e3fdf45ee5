package io.thalweg.bench.publish;

import io.thalweg.bench.harness.ContestantOutput;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Score;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.load.LoadJob;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The process that writes rows of a topic to a store, as each {@link Order} on its standard input says. */
public final class Publisher {
    private final String bootstrap;
    private final StoreAddress where;
    private final ConcurrentHistogram nanos = new ConcurrentHistogram(60_000_000_000L, 3);

    private Publisher(String bootstrap, StoreAddress where) {
        this.bootstrap = bootstrap;
        this.where = where;
    }

    /**
     * What to write, and how.
     *
     * @param topic that a plain writer reads to its end, of so many rows; the job reads that of the view
     * @param calls that a plain writer has in flight; 0 for the job
     * @param batch rows of a write of the job
     * @param parallelism of the job
     */
    record Order(String topic, long rows, int calls, int batch, int parallelism) {
        static Order ofCalls(String topic, long rows, int calls) {
            return new Order(topic, rows, calls, 0, 0);
        }

        static Order ofJob(int batch, int parallelism) {
            return new Order("", 0, 0, batch, parallelism);
        }
    }

    /** An address as an argument. */
    static String text(StoreAddress where) {
        try {
            return Base64.getEncoder().encodeToString(InstantiationUtil.serializeObject(where));
        } catch (IOException e) {
            throw new IllegalArgumentException("not an address for another process: " + where, e);
        }
    }

    private static StoreAddress address(String text) throws IOException, ClassNotFoundException {
        return InstantiationUtil.deserializeObject(Base64.getDecoder().decode(text), Publisher.class.getClassLoader());
    }

    /** The arguments: where Kafka and the store are. */
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ContestantOutput.score(new Publisher(args[0], address(args[1])).run(Orders.read(line, Order.class)));
        }
        System.exit(0);
    }

    /**
     * What was written.
     *
     * @param nanos from the begin of the first write to the end of the last
     */
    private record Written(long rows, long nanos, long writes) {}

    private Score run(Order order) throws Exception {
        double cpu = Meter.cpuSeconds();
        Written written = order.calls() == 0 ? job(order) : calls(order);
        return new Figures()
                .rate("rows", written.rows(), written.nanos() / 1e9, Meter.cpuSeconds() - cpu)
                .put("rows_per_write", written.rows() / (double) written.writes())
                .latencies("write", nanos)
                .score("");
    }

    /** Starting Flink is left out, but for its processor time. */
    private Written job(Order order) throws Exception {
        String id = UUID.randomUUID().toString();
        LoadMetrics.View metrics = LoadMetrics.of(id).view(DemandRows.VIEW.qualifiedName());
        WriteSpan span = new WriteSpan(metrics, nanos);
        DeploymentConfig.Load standard = DeploymentConfig.Load.DEFAULTS;
        DeploymentConfig.Load limits = new DeploymentConfig.Load(
                order.batch(),
                standard.batchBytes(),
                DurationText.parse("20ms"),
                standard.inFlight(),
                standard.targetLatency());
        StreamExecutionEnvironment environment = EmbeddedFlink.bounded(order.parallelism());
        new LoadJob(
                        id,
                        "bench",
                        List.of(DemandRows.VIEW),
                        Map.of("default", Map.of("bootstrap.servers", bootstrap)),
                        where,
                        limits,
                        ClockSpec.system(),
                        true)
                .addTo(environment);
        environment.execute("publish");
        return new Written(metrics.rows(), span.nanos(), metrics.writes());
    }

    /** Reads the same topic with a plain consumer. */
    private Written calls(Order order) {
        HexRowCodec packed = new HexRowCodec(DemandRows.VIEW);
        long rows = 0;
        long writes = 0;
        long begin = System.nanoTime();
        try (OnlineStore store = where.open(Clock.systemUTC());
                KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(IntStream.range(0, DemandRows.PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(order.topic(), partition))
                    .toList());
            while (rows < order.rows()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    if (record.value()[0] != '{') { // the last ones are progress
                        HexRowBlock block = packed.decodeBlock(record.value());
                        writes += write(store, order.calls(), block);
                        rows += block.rows();
                    }
                }
            }
        }
        return new Written(rows, System.nanoTime() - begin, writes);
    }

    private long write(OnlineStore store, int calls, HexRowBlock block) {
        long writes = 0;
        for (int from = 0; from < block.rows(); from += calls, writes++) {
            List<HexRowBlock> each = new ArrayList<>();
            for (int row = from; row < Math.min(block.rows(), from + calls); row++) {
                each.add(block.rows(row, row + 1));
            }
            long begin = System.nanoTime();
            store.write(DemandRows.VIEW, each);
            nanos.recordValue(System.nanoTime() - begin);
        }
        return writes;
    }
}
