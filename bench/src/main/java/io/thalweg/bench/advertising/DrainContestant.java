package io.thalweg.bench.advertising;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import io.thalweg.bench.rivals.RivalFlink;
import io.thalweg.jobs.EmbeddedFlink;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The process of one system that drains topics of JSON events: a small one until it is compiled, then the one that is measured,
 * each until all rows that must come have come out of another topic, or none has for a while.
 */
public final class DrainContestant {
    /** Long: frequent polls take processor time from the system that is measured. A poll ends with the first row that comes. */
    private static final Duration POLL = Duration.ofMillis(250);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** In a warm-up, of the time that a drain takes, what the compilers may still take at its end. */
    private static final double COMPILING_SHARE = 0.1;

    private static final int MOST_WARM_UP_SECONDS = 60;
    /** Of the seconds asked for. */
    private static final int MOST_WARM_UP_TIMES = 6;

    private static final Duration CHECKPOINTS = Duration.ofSeconds(10);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private final String system;
    private final String bootstrap;
    private final Path folder;
    private final int parallelism;
    private final int campaigns;
    private int drained;

    private DrainContestant(String[] args) {
        system = args[0];
        bootstrap = args[1];
        folder = Path.of(args[2]);
        parallelism = Integer.parseInt(args[3]);
        campaigns = Integer.parseInt(args[4]);
    }

    /** What one drain took and came to. */
    private record Drain(
            double cpuSeconds, double compilingSeconds, double seconds, AdCounts expected, AdCounts counted) {}

    /**
     * The arguments: {@code thalweg} or {@code flink}, bootstrap, folder, parallelism, campaigns, the small topic and how many
     * events it has, the other one and how many, seconds.
     */
    public static void main(String[] args) throws Exception {
        DrainContestant contestant = new DrainContestant(args);
        contestant.warmUp(args[5], Long.parseLong(args[6]), Integer.parseInt(args[9]));
        long events = Long.parseLong(args[8]);
        Drain drain = contestant.drain(args[7], events);
        ContestantOutput said = new ContestantOutput();
        said.put("events", events);
        said.put("events_per_second", Math.rint(events / drain.seconds()));
        said.put("events_per_cpu_second", Math.rint(events / drain.cpuSeconds()));
        said.put("cpu_seconds_per_million_events", drain.cpuSeconds() / (events / 1e6));
        said.put("seconds", drain.seconds());
        said.put("compiling_seconds", drain.compilingSeconds());
        said.put("rows", drain.counted().rows());
        said.result(drain.expected().differenceOf(drain.counted()));
        System.exit(0);
    }

    /** Drains until next to nothing is compiled any more: a job that runs for days is. */
    private void warmUp(String topic, long events, int seconds) throws Exception {
        double most = Math.min(MOST_WARM_UP_SECONDS, MOST_WARM_UP_TIMES * seconds);
        Drain drain;
        do {
            drain = drain(topic, events);
            most -= drain.seconds();
        } while (most > 0 && drain.compilingSeconds() > COMPILING_SHARE * drain.seconds());
    }

    private Drain drain(String topic, long events) throws Exception {
        drained++;
        AdLoad load = AdLoad.of(campaigns, events);
        AdCounts expected = load.recount();
        Path ads = AdTable.write(folder, load);
        String rows = "rows-%s-%d-%d".formatted(system, ProcessHandle.current().pid(), drained);
        AdTopic.create(bootstrap, rows, 1);
        Path checkpoints = folder.resolve("checkpoints-" + drained);
        boolean thalweg = system.equals("thalweg");
        long cpu = SYSTEM.getProcessCpuTime();
        long compilingMs = COMPILERS.getTotalCompilationTime();
        long begin = System.nanoTime();
        StreamExecutionEnvironment environment = thalweg
                ? EmbeddedFlink.live(parallelism, checkpoints, CHECKPOINTS, null)
                : RivalFlink.environment(parallelism, checkpoints);
        if (thalweg) {
            ThalwegDrain.build(environment, bootstrap, topic, ads, load.campaignOfAd().length, rows);
        } else {
            FlinkDrain.build(environment, bootstrap, topic, ads, rows);
        }
        JobClient job = environment.executeAsync(rows);
        AdCounts counted = read(rows, expected.rows(), job);
        Drain drain = new Drain(
                (SYSTEM.getProcessCpuTime() - cpu) / 1e9,
                (COMPILERS.getTotalCompilationTime() - compilingMs) / 1e3,
                (System.nanoTime() - begin) / 1e9,
                expected,
                counted);
        job.cancel().get();
        return drain;
    }

    private AdCounts read(String topic, long rows, JobClient job) throws Exception {
        Properties settings = new Properties();
        settings.putAll(Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", "false"));
        AdCounts counted = new AdCounts();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> all = List.of(new TopicPartition(topic, 0));
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long since = System.nanoTime();
            while (counted.rows() < rows && System.nanoTime() - since < PATIENCE_NANOS) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    since = System.nanoTime();
                    count(record.value(), counted);
                }
                if (job.getJobStatus().get().isGloballyTerminalState()) {
                    job.getJobExecutionResult().get(); // which throws the cause
                }
            }
        }
        return counted;
    }

    /** A row with a count counts; one of zero and a record of progress do not. */
    private static void count(byte[] record, AdCounts counted) throws IOException {
        JsonNode row = JSON.readTree(record);
        long views = row.path("features").path("views_10s").asLong();
        if (views > 0) {
            byte[] campaign = row.path("campaign").asText().getBytes(StandardCharsets.US_ASCII);
            long windowEndMs = Instant.parse(row.path("window_end").asText()).toEpochMilli();
            counted.add(AdIds.campaignOf(campaign), windowEndMs, views);
        }
    }
}
