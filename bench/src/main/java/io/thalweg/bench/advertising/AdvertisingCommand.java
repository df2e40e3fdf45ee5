package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Processes;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench advertising}: counts per campaign and window, compared with the usual alternatives. */
@Command(
        name = "advertising",
        description =
                "Views per campaign in windows of ten seconds; drawn inside the job, which is a ceiling of the keyed operator"
                        + " without decoding, or read from Kafka, by Thalweg and by Flink.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench advertising --campaigns 1000000 --live-reads 5000",
            "  thalweg bench advertising --input kafka --seconds 20",
            "  thalweg bench advertising --keys 300000000 --seconds 60"
        })
public final class AdvertisingCommand extends Benchmark {
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    @Option(
            names = "--seconds",
            description =
                    "With --input kafka: 1.5 million events for each; with --keys: for how long they are drawn; else of the warm-up, at most. Default 20.")
    private int seconds = 20;

    @Option(names = "--events", description = "Drawn inside the job and counted; default 400000000.")
    private long events = 400_000_000;

    @Option(names = "--campaigns", description = "Default 100; ten ads each.")
    private int campaigns = 100;

    @Option(names = "--parallelism", description = "Of each system; default 1.")
    private int parallelism = 1;

    @Option(names = "--live-reads", description = "Campaigns read from the job each second; default 0.")
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
            description = {
                "Instead: so many keys in windows of an hour, each once first, then at random for --seconds, with a checkpoint.",
                "300000000 take 16.5 GB of memory and 5.3 GB of disk."
            })
    private int keys;

    @Option(
            names = "--system",
            paramLabel = "NAME",
            description = "With --input kafka: only this system. May be repeated.")
    private List<String> systems = List.of();

    /** Measures one system on the input that all share. */
    private interface Measure {
        Score of(String system) throws Exception;
    }

    @Override
    public Integer call() throws Exception {
        requireOneOf("--input", List.of("job", "kafka"), List.of(input));
        requireAtLeastOne("--seconds", seconds);
        requireAtLeastOne("--events", events);
        requireAtLeastOne("--campaigns", campaigns);
        requireAtLeastOne("--parallelism", parallelism);
        if (keys < 0 || liveReads < 0) {
            throw refusal("--keys and --live-reads must be at least 0; leave out what you do not need");
        }
        Contest contest = contest(new Processes(progress(), PATIENCE));
        return end("advertising", contest, Contest.costRatios(contest.results(), "cpu_seconds_per_million_events"));
    }

    private Contest contest(Processes processes) throws Exception {
        if (keys > 0) {
            KeysRun run = new KeysRun(keys, parallelism, seconds, processes);
            return run(keys + "_keys", List.of(OWN), system -> run.measure());
        }
        String variant = campaigns + "_campaigns";
        if (input.equals("job")) {
            Child.Program program = Child.Program.of(AdContestant.class, "-Xmx6g");
            AdContestant order = new AdContestant(campaigns, parallelism, events, seconds, liveReads);
            return run(variant, List.of(OWN), system -> processes.run(system, program, order));
        }
        requireOneOf("--system", DrainRun.SYSTEMS, systems); // before a broker is filled
        try (DrainRun drain = new DrainRun(campaigns, parallelism, seconds, processes)) {
            return run(variant + "_from_kafka", DrainRun.SYSTEMS, drain::measure);
        }
    }

    private Contest run(String variant, List<String> known, Measure measure) throws Exception {
        requireOneOf("--system", known, systems);
        return contest((systems.isEmpty() ? known : systems)
                .stream()
                        .map(system -> new Contestant(system, variant, () -> measure.of(system)))
                        .toList());
    }
}
