package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Processes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench ingest}: raw events into tables, compared with the usual alternatives. */
@Command(
        name = "ingest",
        description =
                "Raw events of files and topics into Parquet, Iceberg and BigQuery tables: MB/s per core, and tables compared.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench ingest --run thrift_parquet --rivals --rounds 5",
            "  thalweg bench ingest --run 7 --rate 80000"
        })
public final class IngestCommand extends Benchmark {
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final String THALWEG = "thalweg";
    /** The job takes the first ten to start. */
    private static final int LEAST_SECONDS = 12;

    @Option(
            names = "--run",
            split = ",",
            paramLabel = "NAME",
            description =
                    "thrift_parquet, kafka_iceberg, or the number of a published run into BigQuery, 1 to 5 or 7; default: all. May be repeated.")
    private List<IngestVariant> variants = List.of(IngestVariant.values());

    @Option(names = "--count", description = "Messages of about a kilobyte; default 1000000.")
    private long count = 1_000_000;

    @Option(names = "--rivals", description = "Also what one would otherwise write, on the same messages.")
    private boolean rivals;

    @Option(
            names = "--system",
            split = ",",
            paramLabel = "NAME",
            description = "Only these systems; docs/internal/benchmarks.md lists them.")
    private List<String> systems = List.of();

    @Option(names = "--parallelism", description = "Of jobs that read a topic; default 1.")
    private int parallelism = 1;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Of each system, at most, until it is compiled. Default 60.")
    private int warmUpSeconds = 60;

    @Option(
            names = "--rate",
            description =
                    "With runs into BigQuery: so many messages a second are sent while a system reads; reports how long after it was made a message is in the table.")
    private double rate;

    @Option(names = "--seconds", description = "With --rate, instead of --count: for so long; default 60.")
    private int seconds = 60;

    @Option(names = "--seed", description = "Of the messages; default 1.")
    private long seed = 1;

    @Override
    public Integer call() throws Exception {
        check();
        List<Contest> found = new ArrayList<>();
        Map<String, Double> ratios = new LinkedHashMap<>();
        for (IngestVariant variant : variants) {
            Contest contest = measure(variant);
            Contest.costRatios(contest.results(), "cpu_seconds_per_gb")
                    .forEach(
                            (name, ratio) -> ratios.put(contest.results().get(0).variant() + "_" + name, ratio));
            found.add(contest);
        }
        return end("ingest", Contest.all(found), ratios);
    }

    private Contest measure(IngestVariant variant) throws Exception {
        IngestRun.Load load = new IngestRun.Load(
                variant, rate > 0 ? (long) (rate * seconds) : count, seed, parallelism, warmUpSeconds, rate);
        String label = rate > 0 ? "%s_at_%.0f_per_second".formatted(variant.text(), rate) : variant.text();
        try (IngestRun run = IngestRun.start(load, new Processes(progress(), PATIENCE))) {
            List<Contestant> contestants = systems(variant).stream()
                    .map(system -> new Contestant(system, label, () -> run.measure(system)))
                    .toList();
            return contest(contestants);
        }
    }

    /** Returns the systems, Thalweg first, because the others are compared with its table. */
    private static List<String> known(IngestVariant variant) {
        return Stream.concat(Stream.of(THALWEG), variant.rivals().stream()).toList();
    }

    private List<String> systems(IngestVariant variant) {
        if (systems.isEmpty()) {
            return rivals ? known(variant) : List.of(THALWEG);
        }
        return known(variant).stream().filter(systems::contains).toList();
    }

    private void check() {
        requireAtLeastOne("--count", count);
        requireAtLeastOne("--parallelism", parallelism);
        if (warmUpSeconds < 0 || rate < 0) {
            throw refusal("--warm-up and --rate must be at least 0");
        }
        if (rate > 0 && (seconds <= LEAST_SECONDS || parallelism > 1)) {
            throw refusal(
                    "--rate needs --seconds above %d, and does not go with --parallelism".formatted(LEAST_SECONDS));
        }
        for (IngestVariant variant : variants) {
            if (rate > 0 && !variant.intoBigQuery()) {
                throw refusal("--rate goes with a run into BigQuery only, such as --run 7");
            }
            if (systems(variant).isEmpty()) {
                requireOneOf("--system", known(variant), systems);
            }
        }
        requireOneOf(
                "--system",
                variants.stream().flatMap(variant -> known(variant).stream()).toList(),
                systems);
    }
}
