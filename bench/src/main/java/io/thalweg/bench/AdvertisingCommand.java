package io.thalweg.bench;

import io.thalweg.bench.advertising.AdContestant;
import io.thalweg.bench.advertising.DrainRun;
import io.thalweg.bench.advertising.KeysRun;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.stores.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench advertising}: counts per campaign and window, compared with the usual alternatives. */
@Command(
        name = "advertising",
        description =
                "Views per campaign in windows of ten seconds, drawn inside the job: Thalweg, Flink and Hazelcast Jet."
                        + " A ceiling of the keyed operator, no decoding.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench advertising --events 1000000000",
            "  thalweg bench advertising --campaigns 1000000 --live-reads 5000",
            "  thalweg bench advertising --results redis",
            "  thalweg bench advertising --input kafka --seconds 20",
            "  thalweg bench advertising --keys 300000000 --seconds 60"
        })
final class AdvertisingCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final String HEAP = "-Xmx6g";
    private static final List<String> IN_JOB = List.of("thalweg", "flink", "flink_combined", "flink_sql", "jet");

    @Mixin
    private final Report report = new Report();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description =
                    "With --input kafka: 1.5 million events for each; with --keys: for how long they are drawn; else of the warm-up, at most. Default 20.")
    private int seconds = 20;

    @Option(
            names = "--events",
            paramLabel = "N",
            description = "Drawn inside the job and counted by each system; default 400000000.")
    private long events = 400_000_000;

    @Option(names = "--campaigns", paramLabel = "N", description = "Default 100; ten ads each.")
    private int campaigns = 100;

    @Option(names = "--parallelism", paramLabel = "N", description = "Of each system; default 1.")
    private int parallelism = 1;

    @Option(
            names = "--live-reads",
            paramLabel = "N",
            description = "Campaigns read from Thalweg's job each second while it counts; default 0.")
    private int liveReads;

    @Option(
            names = "--input",
            paramLabel = "WHERE",
            description = {
                "job (default): events are drawn inside it; or kafka: JSON events, in a real broker before anybody reads,",
                "are drained by Thalweg's own job and by Flink; rows go to Kafka."
            })
    private String input = "job";

    @Option(
            names = "--results",
            paramLabel = "WHERE",
            description = {
                "none (default), or redis: rows go to a real redis-server in the published benchmark's layout,",
                "are read back from there and recounted, and it is measured how long after its window's end a row can be read."
            })
    private String rows = "none";

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = {
                "Instead: N keys in windows of an hour, each once first, then at random for --seconds, with a checkpoint.",
                "300000000 take 16.5 GB of memory and 5.3 GB of disk."
            })
    private int keys;

    @Option(
            names = "--system",
            paramLabel = "NAME",
            description =
                    "Only thalweg, flink, flink_combined, flink_sql or jet; with --input kafka thalweg or flink; with --keys thalweg. May be repeated.")
    private List<String> systems = List.of();

    /** Measures one system on the input that all share. */
    private interface Measure {
        Score of(String system) throws Exception;
    }

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--input", List.of("job", "kafka"), List.of(input));
        report.requireOneOf("--results", List.of("none", "redis"), List.of(rows));
        report.requireAtLeastOne("--seconds", seconds);
        report.requireAtLeastOne("--events", events);
        report.requireAtLeastOne("--campaigns", campaigns);
        report.requireAtLeastOne("--parallelism", parallelism);
        if (keys < 0 || liveReads < 0) {
            throw report.refusal("--keys and --live-reads must be at least 0; leave out what you do not need");
        }
        Contest contest = contest(new Processes(report.progress(), PATIENCE));
        return report.end(
                "advertising", contest, Contest.costRatios(contest.results(), "cpu_seconds_per_million_events"));
    }

    private Contest contest(Processes processes) throws Exception {
        if (keys > 0) {
            return run(
                    keys + "_keys",
                    List.of("thalweg"),
                    system -> new KeysRun(keys, parallelism, seconds, processes).measure());
        }
        String variant = campaigns + "_campaigns";
        if (input.equals("job")) {
            return run(variant, IN_JOB, system -> campaigns(system, processes));
        }
        report.requireOneOf("--system", DrainRun.SYSTEMS, systems); // before a broker is filled
        try (DrainRun drain = new DrainRun(campaigns, parallelism, seconds, processes)) {
            return run(variant + "_from_kafka", DrainRun.SYSTEMS, drain::measure);
        }
    }

    private Contest run(String variant, List<String> known, Measure measure) throws Exception {
        report.requireOneOf("--system", known, systems);
        List<Contestant> contestants = (systems.isEmpty() ? known : systems)
                .stream()
                        .map(system -> new Contestant(system, variant, () -> measure.of(system)))
                        .toList();
        return Contest.run(contestants, report.rounds(), report.progress());
    }

    private Score campaigns(String system, Processes processes) throws IOException, InterruptedException {
        if (rows.equals("none")) {
            return count(system, processes, 0, 0);
        }
        Path folder = Files.createTempDirectory("thalweg-redis-");
        try (RedisServer redis = RedisServer.start(folder)) {
            return count(system, processes, redis.port(), redis.pid());
        } finally {
            Folders.delete(folder);
        }
    }

    private Score count(String system, Processes processes, int redisPort, long redisPid)
            throws IOException, InterruptedException {
        return processes.run(
                new Processes.Entry(system, List.of(HEAP), AdContestant.class),
                new AdContestant(system, campaigns, parallelism, events, seconds, liveReads, redisPort, redisPid));
    }
}
