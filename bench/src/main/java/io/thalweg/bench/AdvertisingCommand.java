package io.thalweg.bench;

import io.thalweg.bench.advertising.AdContestant;
import io.thalweg.bench.advertising.AdOrder;
import io.thalweg.bench.advertising.ContestantOutput;
import io.thalweg.bench.advertising.RedisServer;
import io.thalweg.bench.demand.Folders;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code thalweg bench advertising}: counts per campaign and window, beside what one would otherwise use. */
@Command(
        name = "advertising",
        description =
                "Views per campaign in windows of ten seconds, drawn inside the job: Thalweg, Flink and Hazelcast Jet."
                        + " A ceiling of the keyed operator, no decoding.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench advertising --seconds 20",
            "  thalweg bench advertising --campaigns 1000000 --live-reads 5000 --seconds 20",
            "  thalweg bench advertising --results redis --seconds 20",
            "  thalweg bench advertising --campaigns 1000000 --system thalweg --system redis_updates --seconds 20",
            "  thalweg bench advertising --input kafka --seconds 20",
            "  thalweg bench advertising --keys 300000000 --seconds 60"
        })
final class AdvertisingCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final String HEAP = "-Xmx6g";
    private static final String REDIS_UPDATES = "redis_updates";
    private static final String COST = "cpu_seconds_per_million_events";
    private static final int MANY_CAMPAIGNS = 1_000_000;

    @Mixin
    private final Report report;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each system counts, about; default 20.")
    private int seconds = 20;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "Number of rounds; in each, the systems take turns. Reports the median run of each system with its least and greatest cost. Default 1.")
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
            description = {
                "Only thalweg, flink or jet. May be repeated. Also redis_updates: each view adds one to its window's count in Redis.",
                "With --input kafka thalweg or flink.",
                "With --keys thalweg, or flink_rocksdb with at most 10 million keys and too little memory for them; default thalweg."
            })
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

    @Override
    public Integer call() throws Exception {
        check();
        Map<String, List<Result>> runs = new LinkedHashMap<>();
        List<String> wrong = new ArrayList<>();
        Progress progress = report.progress();
        Contest contest = new Contest(progress, PATIENCE);
        try (Measure measure = measure(contest)) {
            for (int round = 0; round < rounds; round++) {
                for (String system : systems.isEmpty() ? usual() : systems) {
                    progress.say(system + " counts");
                    ContestantOutput.Result said = measure.of(system);
                    runs.computeIfAbsent(system, each -> new ArrayList<>())
                            .add(new Result(system, label(), said.figures()));
                    if (!said.difference().isEmpty()) {
                        wrong.add(system + ": " + said.difference());
                    }
                }
            }
        }
        List<Result> results =
                runs.values().stream().map(AdvertisingCommand::median).toList();
        Results all = new Results("advertising", command(), results, ratios(results), String.join("; ", wrong));
        report.print(all);
        Target.print(targets(), all, report.out());
        return report.end(all);
    }

    /** Machines drift, so one run may be off by a fifth: of two in the middle the dearer. */
    private static Result median(List<Result> runs) {
        if (runs.size() == 1) {
            return runs.get(0);
        }
        List<Result> byCost = runs.stream()
                .sorted(Comparator.comparingDouble(AdvertisingCommand::cost))
                .toList();
        Result median = byCost.get(byCost.size() / 2);
        Map<String, Number> figures = new LinkedHashMap<>(median.figures());
        figures.put(COST + "_least", cost(byCost.get(0)));
        figures.put(COST + "_most", cost(byCost.get(byCost.size() - 1)));
        return new Result(median.system(), median.variant(), figures);
    }

    private Variant variant() {
        if (keys > 0) {
            return Variant.KEYS;
        }
        return input == Input.KAFKA ? Variant.KAFKA : Variant.CAMPAIGNS;
    }

    /** Whom {@code --system} may name. */
    private List<String> known() {
        return switch (variant()) {
            case CAMPAIGNS -> List.of("thalweg", "flink", "jet", REDIS_UPDATES);
            case KAFKA -> DrainRun.SYSTEMS;
            case KEYS -> List.of(KeysRun.THALWEG, KeysRun.ROCKSDB);
        };
    }

    /** Who is measured if it names no one. */
    private List<String> usual() {
        return switch (variant()) {
            case CAMPAIGNS -> List.of("thalweg", "flink", "jet");
            case KAFKA -> DrainRun.SYSTEMS;
            case KEYS -> List.of(KeysRun.THALWEG);
        };
    }

    private void check() {
        if (!known().containsAll(systems)) {
            refuse("--system must be one of %s here, was %s"
                    .formatted(String.join(", ", known()), String.join(", ", systems)));
        }
        if (seconds < 1 || campaigns < 1 || parallelism < 1 || rounds < 1 || keys < 0 || liveReads < 0) {
            refuse(
                    "--seconds, --campaigns, --parallelism and --rounds must be at least 1, --keys and --live-reads at least 0; leave out what you do not need");
        }
    }

    private void refuse(String message) {
        throw new ParameterException(java.util.Objects.requireNonNull(spec).commandLine(), message);
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
                command.append(" --campaigns %d --live-reads %d --results %s"
                        .formatted(campaigns, liveReads, rows.name().toLowerCase(Locale.ROOT)));
        }
        if (rounds > 1) {
            command.append(" --rounds ").append(rounds);
        }
        systems.forEach(system -> command.append(" --system ").append(system));
        return command.toString();
    }

    /** Those of a hundred campaigns count where there are fewer than a million, too. */
    private List<Target> targets() {
        return switch (variant()) {
            case KEYS ->
                List.of(
                        Target.atLeast("events_per_cpu_second", 5e6),
                        Target.atMost("heap_peak_bytes_per_key", 48),
                        Target.atLeast("serialised_gb_per_cpu_second", 1));
            case KAFKA ->
                List.of(Target.atLeast("events_per_cpu_second", 2.2e6), Target.atLeast("thalweg_vs_flink", 2.5));
            case CAMPAIGNS ->
                campaigns < MANY_CAMPAIGNS
                        ? List.of(
                                Target.atLeast("events_per_cpu_second", 60e6),
                                Target.atLeast("thalweg_vs_flink", 10),
                                Target.atLeast("thalweg_vs_jet", 9))
                        : List.of(
                                Target.atLeast("events_per_cpu_second", 15e6),
                                Target.atMost("live_read_p99_ms", 10),
                                Target.atLeast("thalweg_vs_" + REDIS_UPDATES, 50));
        };
    }

    /** Measures one system after the other on the same ground. */
    private interface Measure extends AutoCloseable {
        ContestantOutput.Result of(String system) throws IOException, InterruptedException;

        @Override
        default void close() throws IOException {
            // Most hold nothing.
        }
    }

    private Measure measure(Contest contest) throws Exception {
        return switch (variant()) {
            case CAMPAIGNS -> system -> campaigns(system, contest);
            case KEYS -> new KeysRun(keys, parallelism, seconds, contest)::measure;
            case KAFKA -> drain(DrainRun.start(campaigns, parallelism, seconds, contest));
        };
    }

    private static Measure drain(DrainRun run) {
        return new Measure() {
            @Override
            public ContestantOutput.Result of(String system) throws IOException, InterruptedException {
                return run.measure(system);
            }

            @Override
            public void close() throws IOException {
                run.close();
            }
        };
    }

    private ContestantOutput.Result campaigns(String system, Contest contest) throws IOException, InterruptedException {
        if (rows == Destination.NONE && !system.equals(REDIS_UPDATES)) {
            return count(system, contest, 0, 0);
        }
        Path folder = Files.createTempDirectory("thalweg-redis-");
        try (RedisServer redis = RedisServer.start(folder)) {
            return count(system, contest, redis.port(), redis.pid());
        } finally {
            Folders.delete(folder);
        }
    }

    private ContestantOutput.Result count(String system, Contest contest, int redisPort, long redisPid)
            throws IOException, InterruptedException {
        return contest.run(
                new Contest.Entry(system, List.of(HEAP), AdContestant.class),
                folder -> new AdOrder(system, campaigns, parallelism, folder, seconds, liveReads, redisPort, redisPid)
                        .arguments());
    }

    private static Map<String, Double> ratios(List<Result> results) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        Result own = results.stream()
                .filter(result -> result.system().equals("thalweg"))
                .findAny()
                .orElse(null);
        for (Result other : results) {
            if (own != null && !other.equals(own)) {
                ratios.put("thalweg_vs_" + other.system(), Math.rint(cost(other) / cost(own) * 100) / 100);
            }
        }
        return ratios;
    }

    private static double cost(Result result) {
        return java.util.Objects.requireNonNull(result.figures().get(COST)).doubleValue();
    }
}
