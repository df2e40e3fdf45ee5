package io.thalweg.bench;

import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.demand.Load;
import io.thalweg.bench.demand.RivalsRun;
import io.thalweg.bench.flame.FlameGraph;
import io.thalweg.bench.soak.Series;
import io.thalweg.bench.soak.Soak;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code thalweg bench demand}: does the pipeline carry the published load, and at what cost? */
@Command(
        name = "demand",
        description = "The whole demand pipeline: a generator, a Kafka broker and thalweg run, a process each.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench demand --scale small                  under a minute",
            "  thalweg bench demand --scale full --json full.json  some 25 minutes, the published load",
            "  thalweg bench demand --scale full --hours 8 --chart soak.svg   the same held for long: a soak",
            "  thalweg bench demand --rivals                       the designs that one would otherwise build"
        })
final class DemandCommand implements Callable<Integer> {
    /** How many times its share of the events the hot city of a skewed run has. */
    private static final double HOT = 100;

    @Mixin
    private final Report report;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--scale", paramLabel = "NAME", description = "small (default), medium or full.")
    private String scale = "small";

    @Option(names = "--minutes", paramLabel = "N", description = "Minutes of event time measured; default by scale.")
    private @Nullable Integer minutes;

    @Option(
            names = "--hours",
            paramLabel = "H",
            description =
                    "Instead of --minutes: hours by the clock, fractions too. A soak: fails where a figure drifts.")
    private @Nullable Double hours;

    @Option(names = "--samples", paramLabel = "FILE", description = "With --hours: the figures over time, as JSON.")
    private @Nullable Path samples;

    @Option(names = "--chart", paramLabel = "FILE", description = "With --hours: the same drawn, as SVG.")
    private @Nullable Path chart;

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description = "Draw where the Thalweg process spends its time while measured: a flame graph, as SVG.")
    private @Nullable Path profile;

    @Option(names = "--seed", paramLabel = "N", description = "Of the events; default 1.")
    private long seed = 1;

    @Option(
            names = "--delivery",
            paramLabel = "NAME",
            description = "Of the rows: at_least_once (default) or exactly_once.")
    private String delivery = "at_least_once";

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description = "Of thalweg run, and of rivals; default 2 at full scale, else 1.")
    private @Nullable Integer parallelism;

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
            names = "--reads",
            paramLabel = "N",
            description =
                    "Reads of 100 keys a second by gRPC while it is measured, with some answers compared; default 0.")
    private double reads;

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

    DemandCommand(PrintWriter out, PrintWriter err) {
        this.report = new Report(out, err);
    }

    @Override
    public Integer call() throws Exception {
        if (hours != null && (minutes != null || rivals || skew)) {
            throw wrong("--hours does not go with --minutes, --rivals or --skew");
        }
        if (reads < 0 || (reads > 0 && rivals)) {
            throw wrong("--reads must be at least 0, was " + reads + ", and does not go with --rivals");
        }
        if (profile != null && (rivals || skew)) {
            throw wrong("--profile does not go with --rivals or --skew");
        }
        if (hours == null && (samples != null || chart != null)) {
            throw wrong("--samples and --chart need --hours");
        }
        return rivals ? contest() : pipeline();
    }

    private ParameterException wrong(String message) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }

    /** Those that cannot finish the whole load run on a tenth of it; so does Thalweg. */
    private int contest() throws IOException, InterruptedException {
        int span = minutes == null ? Load.rivals().minutes() : minutes;
        int degree = parallelism == null ? 1 : parallelism;
        RivalsRun.Outcome outcome = new RivalsRun(seed, degree, Duration.ofMinutes(patience), launcher())
                .run(contests(span), report.progress());
        return finish(new Results(
                "demand_rivals",
                "thalweg bench demand --rivals --minutes %d --seed %d --parallelism %d".formatted(span, seed, degree),
                outcome.entries().stream()
                        .map(entry -> new Result(entry.system(), entry.variant(), entry.figures()))
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
        report.print(results);
        return report.end(results);
    }

    private int pipeline() throws IOException, InterruptedException {
        Load load = Load.of(scale);
        if (minutes != null) {
            load = load.withMinutes(minutes);
        } else if (hours != null) {
            load = load.withHours(hours);
        }
        int degree = parallelism == null ? load.parallelism() : parallelism;
        List<String> options = new ArrayList<>(List.of(
                (javaOpts == null ? load.javaOptions() : javaOpts).trim().split("\\s+")));
        DemandRun even = new DemandRun(
                load,
                seed,
                launcher(),
                delivery,
                degree,
                compression,
                List.copyOf(options),
                hours != null,
                profile != null,
                reads,
                load.cities(),
                1);
        List<DemandRun> runs = skew ? List.of(even, even.withHotCity(load.cities() / 2, HOT)) : List.of(even);
        List<Result> results = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        List<Series> watched = new ArrayList<>();
        for (DemandRun run : runs) {
            DemandRun.Outcome outcome = run.run(report.progress());
            results.add(new Result("thalweg", run.equals(even) ? scale : scale + "_skew", outcome.figures()));
            wrong.add(outcome.wrong());
            watched.addAll(outcome.watched());
            if (profile != null) {
                Files.writeString(profile, new FlameGraph(title(), outcome.stacks()).svg());
            }
        }
        int code = finish(new Results(
                "demand",
                "thalweg bench demand --scale %s %s --seed %d --delivery %s --parallelism %d --compression %s --java-opts '%s'%s%s"
                        .formatted(
                                scale,
                                hours == null ? "--minutes " + load.minutes() : "--hours " + hours,
                                seed,
                                delivery,
                                degree,
                                compression,
                                String.join(" ", options),
                                reads > 0 ? " --reads " + reads : "",
                                skew ? " --skew" : ""),
                results,
                skew ? ratios(results.get(0).figures(), results.get(1).figures()) : Map.of(),
                String.join("; ", wrong.stream().filter(each -> !each.isEmpty()).toList())));
        return hours == null ? code : Math.max(code, judge(watched));
    }

    private String title() {
        return "bench demand --scale %s%s at %s on %s"
                .formatted(scale, hours == null ? "" : " --hours " + hours, Results.commit(), Results.machine());
    }

    private int judge(List<Series> watched) throws IOException {
        Soak soak = new Soak(title(), watched);
        soak.print(report.out());
        if (samples != null) {
            soak.writeJson(samples);
        }
        if (chart != null) {
            soak.writeChart(chart);
        }
        return soak.drifts().isEmpty() ? 0 : 1;
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

    /** The jars of Cassandra's server, which is built with the benchmarks. */
    static Path cassandraJars() {
        return launcher().resolveSibling("store-cassandra/server/target/lib");
    }
}
