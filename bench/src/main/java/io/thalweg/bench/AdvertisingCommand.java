package io.thalweg.bench;

import io.thalweg.bench.advertising.AdContestant;
import io.thalweg.bench.advertising.DrainRun;
import io.thalweg.bench.advertising.KeysRun;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Results;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.stores.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench advertising}: counts per campaign and window, beside what one would otherwise use. */
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

    @Mixin
    private final Report report;

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

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds, in each of which the systems take turns; figures are medians. Default 1.")
    private int rounds = 1;

    @Option(names = "--campaigns", paramLabel = "N", description = "Default 100; ten ads each.")
    private int campaigns = 100;

    @Option(names = "--parallelism", paramLabel = "N", description = "Of each system; default 1.")
    private int parallelism = 1;

    @Option(
            names = "--live-reads",
            paramLabel = "N",
            description = "Campaigns read from Thalweg's job each second while it counts; default 0.")
    private int liveReads;

    /** Where events come from. */
    private enum Input {
        JOB,
        KAFKA
    }

    @Option(
            names = "--input",
            paramLabel = "WHERE",
            description = {
                "job (default): events are drawn inside it; or kafka: JSON events, in a real broker before anybody reads,",
                "are drained by Thalweg's own job and by Flink; rows go to Kafka."
            })
    private Input input = Input.JOB;

    /** Where rows go. */
    private enum Destination {
        NONE,
        REDIS
    }

    @Option(
            names = "--results",
            paramLabel = "WHERE",
            description = {
                "none (default), or redis: rows go to a real redis-server in the published benchmark's layout,",
                "are read back from there and recounted, and it is measured how long after its window's end a row can be read."
            })
    private Destination rows = Destination.NONE;

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
                    "Only thalweg, flink or jet; with --input kafka thalweg or flink; with --keys thalweg. May be repeated.")
    private List<String> systems = List.of();

    AdvertisingCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    /** What can be measured. */
    private enum Variant {
        CAMPAIGNS,
        KAFKA,
        KEYS
    }

    /** Who can take part. */
    private List<String> known() {
        return switch (variant()) {
            case CAMPAIGNS -> List.of("thalweg", "flink", "jet");
            case KAFKA -> DrainRun.SYSTEMS;
            case KEYS -> List.of("thalweg");
        };
    }

    /** Measures one system on the ground that all share. */
    private interface Measure {
        Score of(String system) throws Exception;
    }

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--system", known(), systems);
        report.requireAtLeastOne("--rounds", rounds);
        report.requireAtLeastOne("--seconds", seconds);
        report.requireAtLeastOne("--events", events);
        report.requireAtLeastOne("--campaigns", campaigns);
        report.requireAtLeastOne("--parallelism", parallelism);
        if (keys < 0 || liveReads < 0) {
            throw report.refusal("--keys and --live-reads must be at least 0; leave out what you do not need");
        }
        Processes processes = new Processes(report.progress(), PATIENCE);
        Contest contest = switch (variant()) {
            case CAMPAIGNS -> run(system -> campaigns(system, processes));
            case KEYS -> run(system -> new KeysRun(keys, parallelism, seconds, processes).measure());
            case KAFKA -> {
                try (DrainRun run = new DrainRun(campaigns, parallelism, seconds, processes)) {
                    yield run(run::measure);
                }
            }
        };
        return report.end(new Results(
                "advertising",
                command(),
                contest.results(),
                Contest.costRatios(contest.results(), "cpu_seconds_per_million_events"),
                contest.wrong()));
    }

    private Variant variant() {
        if (keys > 0) {
            return Variant.KEYS;
        }
        return input == Input.KAFKA ? Variant.KAFKA : Variant.CAMPAIGNS;
    }

    private Contest run(Measure measure) throws Exception {
        return Contest.run(
                (systems.isEmpty() ? known() : systems)
                        .stream()
                                .map(system -> new Contestant(system, label(), () -> measure.of(system)))
                                .toList(),
                rounds,
                report.progress());
    }

    private String label() {
        return switch (variant()) {
            case CAMPAIGNS -> campaigns + "_campaigns";
            case KAFKA -> campaigns + "_campaigns_from_kafka";
            case KEYS -> keys + "_keys";
        };
    }

    private String command() {
        StringBuilder command = new StringBuilder("thalweg bench advertising --seconds " + seconds);
        command.append(" --parallelism ").append(parallelism);
        switch (variant()) {
            case KEYS -> command.append(" --keys ").append(keys);
            case KAFKA -> command.append(" --input kafka --campaigns ").append(campaigns);
            case CAMPAIGNS ->
                command.append(" --events %d --campaigns %d --live-reads %d --results %s"
                        .formatted(events, campaigns, liveReads, rows.name().toLowerCase(Locale.ROOT)));
        }
        command.append(" --rounds ").append(rounds);
        systems.forEach(system -> command.append(" --system ").append(system));
        return command.toString();
    }

    private Score campaigns(String system, Processes processes) throws IOException, InterruptedException {
        if (rows == Destination.NONE) {
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
                folder -> Orders.arguments(new AdContestant.Order(
                        system, campaigns, parallelism, folder, events, seconds, liveReads, redisPort, redisPid)));
    }
}
