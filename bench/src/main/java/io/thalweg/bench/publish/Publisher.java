package io.thalweg.bench.publish;

import com.sun.management.OperatingSystemMXBean;
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
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The process that writes. It reads what to do from its standard input, a line each, and says what it took:
 * {@code done ROWS SECONDS CPU_SECONDS WRITES P50_MS P99_MS MAX_MS}.
 */
public final class Publisher {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final String bootstrap;
    private final StoreAddress where;
    private final ConcurrentHistogram micros = new ConcurrentHistogram(60_000_000L, 3);

    private Publisher(String bootstrap, StoreAddress where) {
        this.bootstrap = bootstrap;
        this.where = where;
    }

    /** An address as an argument. */
    static String text(StoreAddress where) throws IOException {
        return Base64.getEncoder().encodeToString(InstantiationUtil.serializeObject(where));
    }

    private static StoreAddress address(String text) throws IOException, ClassNotFoundException {
        return InstantiationUtil.deserializeObject(Base64.getDecoder().decode(text), Publisher.class.getClassLoader());
    }

    /** The arguments: where Kafka and the store are. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws Exception {
        var in = new java.io.BufferedReader(
                new java.io.InputStreamReader(System.in, java.nio.charset.StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(new Publisher(args[0], address(args[1])).run(line.split(" ", -1)));
        }
    }

    /** {@code job BATCH PARALLELISM}, or {@code calls|pipelined|store ROWS}. */
    private String run(String[] words) throws Exception {
        long cpu = SYSTEM.getProcessCpuTime();
        long begin = System.nanoTime();
        long[] done = words[0].equals("job")
                ? job(Integer.parseInt(words[1]), Integer.parseInt(words[2]))
                : calls(words[0], Long.parseLong(words[1]), begin);
        return "done %d %.4f %.4f %d %.3f %.3f %.3f"
                .formatted(
                        done[0],
                        done[1] / 1e9,
                        (SYSTEM.getProcessCpuTime() - cpu) / 1e9,
                        done[2],
                        micros.getValueAtPercentile(50) / 1e3,
                        micros.getValueAtPercentile(99) / 1e3,
                        micros.getMaxValue() / 1e3);
    }

    /** Timed from the begin of the first write to the end of the last: starting Flink is left out, but for its processor time. */
    private long[] job(int batch, int parallelism) throws Exception {
        String id = UUID.randomUUID().toString();
        LoadMetrics.View metrics = LoadMetrics.of(id).view("demand");
        AtomicLong first = new AtomicLong(Long.MAX_VALUE);
        AtomicLong last = new AtomicLong(Long.MIN_VALUE);
        metrics.onLatency(seconds -> {
            long now = System.nanoTime();
            micros.recordValue((long) (seconds * 1e6));
            first.accumulateAndGet(now - (long) (seconds * 1e9), Math::min);
            last.accumulateAndGet(now, Math::max);
        });
        DeploymentConfig.Load standard = DeploymentConfig.Load.DEFAULTS;
        DeploymentConfig.Load limits = new DeploymentConfig.Load(
                batch,
                standard.batchBytes(),
                DurationText.parse("20ms"),
                standard.inFlight(),
                standard.targetLatency());
        StreamExecutionEnvironment environment = EmbeddedFlink.bounded(parallelism);
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
        return new long[] {metrics.rows(), last.get() - first.get(), metrics.writes()};
    }

    /** Reads the same topic with a plain consumer. */
    private long[] calls(String way, long most, long begin) {
        HexRowCodec packed = new HexRowCodec(DemandRows.VIEW);
        long rows = 0;
        long writes = 0;
        try (OnlineStore store = where.open(Clock.systemUTC());
                KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(IntStream.range(0, DemandRows.PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(DemandRows.TOPIC, partition))
                    .toList());
            while (rows < most) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    if (record.value()[0] == '{' || rows >= most) {
                        continue;
                    }
                    HexRowBlock block = packed.decodeBlock(record.value());
                    writes += write(store, way, block);
                    rows += block.rows();
                }
            }
        }
        return new long[] {rows, System.nanoTime() - begin, writes};
    }

    private long write(OnlineStore store, String way, HexRowBlock block) {
        if (way.equals("store")) {
            return timed(store, List.of(block));
        }
        // 500 calls on their way at a time, or one.
        int together = way.equals("pipelined") ? 500 : 1;
        long writes = 0;
        for (int from = 0; from < block.rows(); from += together) {
            List<HexRowBlock> each = new ArrayList<>();
            for (int row = from; row < Math.min(block.rows(), from + together); row++) {
                each.add(block.rows(row, row + 1));
            }
            writes += timed(store, each);
        }
        return writes;
    }

    private long timed(OnlineStore store, List<HexRowBlock> blocks) {
        long begin = System.nanoTime();
        store.write(DemandRows.VIEW, blocks);
        micros.recordValue((System.nanoTime() - begin) / 1_000);
        return 1;
    }
}
