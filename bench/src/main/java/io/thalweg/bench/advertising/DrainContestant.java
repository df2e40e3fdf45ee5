package io.thalweg.bench.advertising;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.bench.advertising.DrainRun.AdTopic;
import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.TopicReader;
import io.thalweg.bench.rivals.DrainProcess;
import io.thalweg.bench.rivals.RivalFlink;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.StatePath;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The process of one system that drains topics of JSON events: a small one until its code is compiled, then the measured one. A
 * pass ends when all expected rows have arrived in another topic, or none has arrived for a while.
 *
 * @param warmUp the small topic
 * @param events the measured topic
 * @param seconds a sixth of the longest warm-up
 */
public record DrainContestant(String system, int parallelism, AdTopic warmUp, AdTopic events, int seconds) {
    /** Long, because frequent polls take CPU time from the measured system. A poll ends with the first row that arrives. */
    private static final Duration POLL = Duration.ofMillis(250);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int MOST_WARM_UP_SECONDS = 60;
    /** A multiple of the requested seconds. */
    private static final int MOST_WARM_UP_TIMES = 6;

    private static final Duration CHECKPOINTS = Duration.ofSeconds(10);
    /** Thalweg's view, like that of {@code examples/campaign_views.yaml}. */
    private static final String DEFINITION = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: campaign_views
            source:
              topic: %s
              start: earliest
              format: json
              event_time: {field: event_time, unit: ms}
              max_out_of_orderness: 10s
            lookup:
              - {table: {file: "%s", max_rows: %d}, key: ad_id, fields: [campaign_id], on_miss: drop}
            where: {event_type: [view]}
            entities: [{name: campaign, field: campaign_id}]
            measures: [{name: views, count: all}]
            windows: {sizes: [10s], every: 10s}
            sink: {topic: %s, format: json, delivery: at_least_once}
            """;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Runs the contestant that the argument describes. */
    public static void main(String[] args) {
        Messages.endWith(() -> Messages.read(args[0], DrainContestant.class).run());
    }

    private Score run() throws Exception {
        Meter meter = new Meter();
        AdCounts few = warmUp.load().recount();
        double most = Math.min(MOST_WARM_UP_SECONDS, MOST_WARM_UP_TIMES * seconds);
        Meter.warmUp(most, number -> drain(warmUp, meter, "warm-up-" + number, few.rows()));
        AdCounts expected = events.load().recount();
        Meter.Cost cost = drain(events, meter, "measured", expected.rows());
        AdCounts counted = count(events.bootstrap(), rows("measured"));
        return new Figures()
                .rate("events", events.events(), cost.seconds(), cost.cpuSeconds())
                .put("compilers_cpu_seconds", cost.compilersCpuSeconds())
                .put("compiling_seconds", cost.compilingSeconds())
                .put("allocated_bytes_per_event", Math.rint(cost.allocatedBytes() / (double) events.events()))
                .put("rows", counted.rows())
                .score(expected.differenceOf(counted));
    }

    /** The topic of the rows of a pass. */
    private String rows(String pass) {
        return "rows-%s-%d-%s".formatted(system, ProcessHandle.current().pid(), pass);
    }

    private Meter.Cost drain(AdTopic topic, Meter meter, String pass, long expected) throws Exception {
        AdLoad load = topic.load();
        Path ads = new AdJson(load).writeTable(Folders.temporary());
        String rows = rows(pass);
        Broker.createTopic(topic.bootstrap(), rows, 1, Map.of());
        JobClient[] job = new JobClient[1];
        Meter.Cost cost = meter.measure(() -> {
            job[0] = start(topic, ads, load, rows);
            await(topic.bootstrap(), rows, expected, job[0]);
        });
        job[0].cancel().get();
        return cost;
    }

    private JobClient start(AdTopic topic, Path ads, AdLoad load, String rows) throws Exception {
        Path checkpoints = Folders.temporary().resolve("checkpoints-" + rows);
        StreamExecutionEnvironment environment;
        if (system.equals("thalweg")) {
            environment = EmbeddedFlink.live(parallelism, StatePath.of(checkpoints), CHECKPOINTS, null);
            String definition = DEFINITION.formatted(topic.name(), ads, load.campaignOfAd().length, rows);
            List<FeatureView> views =
                    Definitions.parse(definition, "campaign_views.yaml").views();
            DrainProcess.addThalweg(environment, topic.bootstrap(), rows, views);
        } else {
            environment = RivalFlink.environment(parallelism, checkpoints);
            FlinkDrain.build(system, environment, topic.bootstrap(), topic.name(), ads, rows);
        }
        return environment.executeAsync(rows);
    }

    /** Returns when the expected number of rows has arrived, or none has arrived for a while. */
    private static void await(String bootstrap, String topic, long expected, JobClient job) throws Exception {
        try (TopicReader records = TopicReader.open(bootstrap, topic)) {
            AdCounts counted = new AdCounts();
            long since = System.nanoTime();
            while (counted.rows() < expected && System.nanoTime() - since < PATIENCE_NANOS) {
                for (ConsumerRecord<byte[], byte[]> record : records.next(POLL)) {
                    since = System.nanoTime();
                    count(record.value(), counted);
                }
                if (job.getJobStatus().get().isGloballyTerminalState()) {
                    job.getJobExecutionResult().get(); // throws the cause of the failure
                }
            }
        }
    }

    /** Counts all rows of a topic, which may include more than the expected number. */
    private static AdCounts count(String bootstrap, String topic) throws IOException {
        AdCounts counted = new AdCounts();
        try (TopicReader records = TopicReader.open(bootstrap, topic)) {
            while (records.hasMore()) {
                for (ConsumerRecord<byte[], byte[]> record : records.next(POLL)) {
                    count(record.value(), counted);
                }
            }
        }
        return counted;
    }

    /** Adds a row with a count; rows of zero and progress records are skipped. */
    private static void count(byte[] record, AdCounts counted) throws IOException {
        JsonNode row = JSON.readTree(record);
        long views = row.path("features").path("views_10s").asLong();
        if (views > 0) {
            long windowEndMs = Instant.parse(row.path("window_end").asText()).toEpochMilli();
            counted.add(AdJson.campaignOf(row.path("campaign").asText()), windowEndMs, views);
        }
    }
}
