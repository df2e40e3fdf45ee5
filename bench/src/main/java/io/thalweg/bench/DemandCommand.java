package io.thalweg.bench;

import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.demand.Load;
import io.thalweg.bench.demand.RivalsRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench demand}: does the pipeline carry the published load, and at what cost? */
@Command(
        name = "demand",
        description = "The whole demand pipeline: a generator, a Kafka broker and thalweg run, a process each.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench demand --scale small                  under a minute",
            "  thalweg bench demand --scale full --json full.json  some 25 minutes, the published load",
            "  thalweg bench demand --rivals                       the designs that one would otherwise build"
        })
final class DemandCommand implements Callable<Integer> {
    /** How many times its share of the events the hot city of a skewed run has. */
    private static final double HOT = 100;

    private final PrintWriter out;
    private final PrintWriter err;

    @Option(names = "--scale", paramLabel = "NAME", description = "small (default), medium or full.")
    private String scale = "small";

    @Option(names = "--minutes", paramLabel = "N", description = "Minutes of event time measured; default by scale.")
    private @Nullable Integer minutes;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--seed", paramLabel = "N", description = "Of the events; default 1.")
    private long seed = 1;

    @Option(
            names = "--delivery",
            paramLabel = "NAME",
            description = "Of the rows: at_least_once (default) or exactly_once.")
    private String delivery = "at_least_once";

    @Option(names = "--parallelism", paramLabel = "N", description = "Of thalweg run, and of rivals; default 1.")
    private int parallelism = 1;

    @Option(
            names = "--compression",
            paramLabel = "NAME",
            description = "Of the events in Kafka: lz4 (default), zstd, snappy or none.")
    private String compression = "lz4";

    @Option(
            names = "--java-opts",
            paramLabel = "TEXT",
            description = "Of thalweg run, beyond the launcher's; default by scale.")
    private @Nullable String javaOpts;

    @Option(
            names = "--rivals",
            description = "Instead: Thalweg and its rivals drain the same events, one after the other.")
    private boolean rivals;

    @Option(
            names = "--skew",
            description = "Run twice: even, then with one city at a hundred times its share of the events.")
    private boolean skew;

    @Option(
            names = "--rival",
            paramLabel = "NAME",
            description = "With --rivals: only flink_published, flink_sql or flink_tuned. May be repeated.")
    private List<String> chosen = List.of();

    @Option(
            names = "--patience",
            paramLabel = "MINUTES",
            description = "With --rivals: what a system may take for a load; default 30.")
    private long patience = 30;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    DemandCommand(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws Exception {
        return rivals ? contest() : pipeline();
    }

    /** Those that cannot finish the whole load run on a tenth of it; so does Thalweg. */
    private int contest() throws IOException, InterruptedException {
        int span = minutes == null ? Load.rivals().minutes() : minutes;
        RivalsRun.Outcome outcome = new RivalsRun(seed, parallelism, Duration.ofMinutes(patience), launcher())
                .run(contests(span), new Progress(err, quiet));
        return finish(new Results(
                "demand_rivals",
                "thalweg bench demand --rivals --minutes %d --seed %d --parallelism %d"
                        .formatted(span, seed, parallelism),
                outcome.entries().stream()
                        .map(entry -> new Results.Result(entry.system(), entry.variant(), entry.figures()))
                        .toList(),
                outcome.ratios(),
                outcome.wrong()));
    }

    private List<RivalsRun.Contest> contests(int span) {
        return Stream.of(
                        new RivalsRun.Contest(
                                Load.rivalsTenth().withMinutes(span), chosen("flink_published", "flink_sql")),
                        new RivalsRun.Contest(Load.rivals().withMinutes(span), chosen("flink_tuned")))
                .filter(contest -> !contest.rivals().isEmpty())
                .toList();
    }

    private List<String> chosen(String... names) {
        return Stream.of(names)
                .filter(name -> chosen.isEmpty() || chosen.contains(name))
                .toList();
    }

    private int finish(Results results) throws IOException {
        results.print(out);
        if (json != null) {
            results.write(json);
        }
        return results.wrong().isEmpty() ? 0 : 1;
    }

    private int pipeline() throws IOException, InterruptedException {
        Load load = Load.of(scale);
        if (minutes != null) {
            load = load.withMinutes(minutes);
        }
        List<String> options = new ArrayList<>(List.of(
                (javaOpts == null ? load.javaOptions() : javaOpts).trim().split("\\s+")));
        DemandRun even = new DemandRun(
                load, seed, launcher(), delivery, parallelism, compression, List.copyOf(options), load.cities(), 1);
        List<DemandRun> runs = skew ? List.of(even, even.withHotCity(load.cities() / 2, HOT)) : List.of(even);
        List<Results.Result> results = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (DemandRun run : runs) {
            DemandRun.Outcome outcome = run.run(new Progress(err, quiet));
            results.add(new Results.Result("thalweg", run.equals(even) ? scale : scale + "_skew", outcome.figures()));
            wrong.add(outcome.wrong());
        }
        return finish(new Results(
                "demand",
                "thalweg bench demand --scale %s --minutes %d --seed %d --delivery %s --parallelism %d --compression %s --java-opts '%s'%s"
                        .formatted(
                                scale,
                                load.minutes(),
                                seed,
                                delivery,
                                parallelism,
                                compression,
                                String.join(" ", options),
                                skew ? " --skew" : ""),
                results,
                skew ? ratios(results.get(0).figures(), results.get(1).figures()) : Map.of(),
                String.join("; ", wrong.stream().filter(each -> !each.isEmpty()).toList())));
    }

    /** Of the skewed run's figures to those of the even one. */
    private static Map<String, Double> ratios(Map<String, Number> even, Map<String, Number> skewed) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        for (String name : List.of("warm_up_events_per_second", "assembled_p50_ms", "assembled_max_ms")) {
            double base = Objects.requireNonNull(even.get(name)).doubleValue();
            double other = Objects.requireNonNull(skewed.get(name)).doubleValue();
            ratios.put("skew_vs_even_" + name, Math.rint(other / base * 100) / 100);
        }
        return ratios;
    }

    static Path launcher() {
        String launcher = System.getProperty("thalweg.launcher");
        if (launcher == null) {
            throw new IllegalStateException("thalweg bench runs from a clone: ./thalweg bench");
        }
        return Path.of(launcher);
    }
}
