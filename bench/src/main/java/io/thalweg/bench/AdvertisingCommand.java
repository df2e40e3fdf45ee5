package io.thalweg.bench;

import io.thalweg.bench.advertising.AdContestant;
import io.thalweg.bench.advertising.DrainRun;
import io.thalweg.bench.advertising.KeysRun;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Score;
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
                "Views per campaign in windows of ten seconds, by Thalweg and by Flink; drawn inside the job, which is a ceiling of"
                        + " the keyed operator without decoding, or read from Kafka.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench advertising --campaigns 1000000 --live-reads 5000",
            "  thalweg bench advertising --input kafka --seconds 20",
            "  thalweg bench advertising --keys 300000000 --seconds 60"
        })
final class AdvertisingCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final String HEAP = "-Xmx6g";
    private static final List<String> SYSTEMS = DrainRun.SYSTEMS;

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
            description = "Only thalweg, flink or flink_combined; with --keys only thalweg. May be repeated.")
    private List<String> systems = List.of();

    /** Measures one system on the input that all share. */
    private interface Measure {
        Score of(String system) throws Exception;
    }

    @Override
    public Integer call() throws Exception {
        report.requireOneOf("--input", List.of("job", "kafka"), List.of(input));
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
            return run(
                    variant,
                    SYSTEMS,
                    system -> processes.run(
                            new Processes.Entry(system, List.of(HEAP), AdContestant.class),
                            new AdContestant(system, campaigns, parallelism, events, seconds, liveReads)));
        }
        report.requireOneOf("--system", SYSTEMS, systems); // before a broker is filled
        try (DrainRun drain = new DrainRun(campaigns, parallelism, seconds, processes)) {
            return run(variant + "_from_kafka", SYSTEMS, drain::measure);
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
}
