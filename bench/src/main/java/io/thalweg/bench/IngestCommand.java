package io.thalweg.bench;

import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.harness.Results;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.ingest.IngestVariant;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code thalweg bench ingest}: raw events into tables, beside what one would otherwise write. */
@Command(
        name = "ingest",
        description =
                "Raw events of files and topics into Parquet, Iceberg and BigQuery tables: MB/s per core, and tables compared.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench ingest --run thrift_parquet --rivals --rounds 5",
            "  thalweg bench ingest --run kafka_iceberg --rivals --stages",
            "  thalweg bench ingest --run 6,7 --rivals"
        })
final class IngestCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final String THALWEG = "thalweg";
    /** The job starts in the first ten. */
    private static final int LEAST_SECONDS = 12;

    private static final String COST = "cpu_seconds_per_gb";
    private static final String RATE = "mb_per_cpu_second";

    @Mixin
    private final Report report;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--run",
            split = ",",
            paramLabel = "NAME",
            converter = ByName.class,
            description =
                    "thrift_parquet, json_parquet, avro_parquet, kafka_iceberg, avro_topic, json_storage, or the number of a published run into BigQuery, 1 to 7; default: all. May be repeated.")
    private List<IngestVariant> variants = List.of(IngestVariant.values());

    @Option(names = "--count", paramLabel = "N", description = "Messages of about a kilobyte; default 1000000.")
    private long count = 1_000_000;

    @Option(names = "--rivals", description = "Also what one would otherwise write, on the same messages.")
    private boolean rivals;

    @Option(
            names = "--system",
            paramLabel = "NAME",
            description = "Only thalweg or this rival. May be repeated. Names: docs/benchmarks.md")
    private List<String> systems = List.of();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "Number of rounds; in each, the systems take turns. Reports the median run of each system with its least and greatest cost. Default 1.")
    private int rounds = 1;

    @Option(names = "--parallelism", paramLabel = "N", description = "Of jobs that read a topic; default 1.")
    private int parallelism = 1;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Of each system, at most; it ends earlier when next to nothing is compiled. Default 60.")
    private int warmUpSeconds = 60;

    @Option(
            names = "--stages",
            description = "Also the shares of reading, translating and writing, by a profiler in one more pass.")
    private boolean stages;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "With runs from a topic: N messages a second are sent while each system reads, and commits to Iceberg every second; reports how long after it was sent a message is in the table.")
    private double rate;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "With --rate, instead of --count: for so long; default 60.")
    private int seconds = 60;

    @Option(names = "--seed", paramLabel = "N", description = "Of the messages; default 1.")
    private long seed = 1;

    /** Reads the name of a variant. */
    private static final class ByName implements ITypeConverter<IngestVariant> {
        @Override
        public IngestVariant convert(String text) {
            try {
                return IngestVariant.of(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'%s' is not one of %s"
                        .formatted(
                                text,
                                Stream.of(IngestVariant.values())
                                        .map(IngestVariant::text)
                                        .collect(Collectors.joining(", "))));
            }
        }
    }

    IngestCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        check();
        List<Result> results = new ArrayList<>();
        Map<String, Double> ratios = new LinkedHashMap<>();
        List<String> wrong = new ArrayList<>();
        for (IngestVariant variant : variants) {
            List<Result> medians = measure(variant, wrong);
            results.addAll(medians);
            ratios.putAll(ratios(medians));
        }
        return report.end(new Results("ingest", command(), results, ratios, String.join("; ", wrong)));
    }

    private List<Result> measure(IngestVariant variant, List<String> wrong) throws Exception {
        Map<String, List<Result>> runs = new LinkedHashMap<>();
        Progress progress = report.progress();
        IngestRun.Load load = new IngestRun.Load(variant, count(), seed, parallelism, warmUpSeconds, stages, rate);
        try (IngestRun run = IngestRun.start(load, new Processes(progress, PATIENCE))) {
            for (int round = 0; round < rounds; round++) {
                for (String system : systems(variant)) {
                    progress.say("%s: round %d of %d: %s".formatted(variant.text(), round + 1, rounds, system));
                    Score found = run.measure(system);
                    runs.computeIfAbsent(system, each -> new ArrayList<>())
                            .add(new Result(system, label(variant), found.figures()));
                    if (!found.difference().isEmpty()) {
                        wrong.add("%s, %s: %s".formatted(variant.text(), system, found.difference()));
                    }
                }
            }
        }
        return runs.values().stream().map(IngestCommand::median).toList();
    }

    private long count() {
        return rate > 0 ? (long) (rate * seconds) : count;
    }

    private String label(IngestVariant variant) {
        return rate > 0 ? "%s_at_%.0f_per_second".formatted(variant.text(), rate) : variant.text();
    }

    /** Of an even number of runs the dearer in the middle. */
    private static Result median(List<Result> runs) {
        List<Result> byCost = runs.stream()
                .sorted(Comparator.comparingDouble(IngestCommand::cost))
                .toList();
        Result median = byCost.get(byCost.size() / 2);
        if (byCost.size() == 1) {
            return median;
        }
        Map<String, List<Number>> rounds = new LinkedHashMap<>();
        median.figures().keySet().forEach(name -> rounds.put(name, values(runs, name)));
        Map<String, Number> figures = new LinkedHashMap<>(median.figures());
        Result least = byCost.get(0);
        Result most = byCost.get(byCost.size() - 1);
        figures.put(COST + "_least", cost(least));
        figures.put(COST + "_most", cost(most));
        figures.put(RATE + "_least", Objects.requireNonNull(most.figures().get(RATE)));
        figures.put(RATE + "_most", Objects.requireNonNull(least.figures().get(RATE)));
        return new Result(median.system(), median.variant(), figures, rounds);
    }

    private static List<Number> values(List<Result> runs, String name) {
        return runs.stream()
                .filter(run -> run.figures().containsKey(name))
                .map(run -> Objects.requireNonNull(run.figures().get(name), name))
                .toList();
    }

    private static double cost(Result result) {
        return Objects.requireNonNull(result.figures().get(COST)).doubleValue();
    }

    private static Map<String, Double> ratios(List<Result> results) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        results.stream()
                .filter(result -> result.system().equals(THALWEG))
                .findAny()
                .ifPresent(own -> results.stream()
                        .filter(other -> !other.equals(own))
                        .forEach(other -> ratios.put(
                                "%s_thalweg_vs_%s".formatted(own.variant(), other.system()),
                                Math.rint(cost(other) / cost(own) * 100) / 100)));
        return ratios;
    }

    /** Thalweg first: the others are compared with its table. */
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
        if (count < 1 || rounds < 1 || parallelism < 1 || warmUpSeconds < 0) {
            throw wrong("--count, --rounds and --parallelism must be at least 1, --warm-up at least 0");
        }
        if (rate < 0 || (rate > 0 && (seconds <= LEAST_SECONDS || stages || parallelism > 1))) {
            throw wrong(
                    "--rate must be above 0, needs --seconds above %d, and does not go with --stages and --parallelism"
                            .formatted(LEAST_SECONDS));
        }
        if (rate > 0 && !variants.stream().allMatch(IngestVariant::hasLatency)) {
            throw wrong(
                    "--rate goes with a run from a topic into a table only, such as --run kafka_iceberg or --run 7");
        }
        for (IngestVariant variant : variants) {
            if (systems(variant).isEmpty()) {
                throw wrong("--system must be one of %s with --run %s, was %s"
                        .formatted(String.join(", ", known(variant)), variant.text(), String.join(", ", systems)));
            }
        }
        List<String> unknown = systems.stream()
                .filter(system ->
                        variants.stream().noneMatch(variant -> known(variant).contains(system)))
                .toList();
        if (!unknown.isEmpty()) {
            throw wrong("--system: no run has " + String.join(", ", unknown));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }

    private String command() {
        StringBuilder command = new StringBuilder("thalweg bench ingest --run ")
                .append(variants.stream().map(IngestVariant::text).collect(Collectors.joining(",")));
        command.append(rate > 0 ? " --rate %s --seconds %d".formatted(rate, seconds) : " --count " + count)
                .append(" --seed ")
                .append(seed);
        command.append(" --parallelism ")
                .append(parallelism)
                .append(" --warm-up ")
                .append(warmUpSeconds);
        command.append(" --rounds ")
                .append(rounds)
                .append(rivals ? " --rivals" : "")
                .append(stages ? " --stages" : "");
        systems.forEach(system -> command.append(" --system ").append(system));
        return command.toString();
    }
}
